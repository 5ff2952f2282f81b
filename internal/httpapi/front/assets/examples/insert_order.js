examples.insert_order = {
  creates: 'order', created: [],
  draw: async (d) => {
    const [id] = await lease('order', 1);
    return { body: await filled('order', { order: id, account: accountOf(d).account, symbol: one(d.symbols) }) };
  },
};
