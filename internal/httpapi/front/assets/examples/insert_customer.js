examples.insert_customer = {
  creates: 'customer', created: [],
  draw: async () => {
    const [id] = await lease('customer', 1);
    const [account, account2, account3] = await lease('account', 3);
    return { body: await filled('customer', { customer: id, account, account2, account3 }) };
  },
};
