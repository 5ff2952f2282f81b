examples.open_account = {
  creates: 'account', created: [],
  draw: async (d) => {
    const [account, account2, account3] = await lease('account', 3);
    return { ...(await customer(d)), body: await filled('account', { account, account2, account3 }) };
  },
};
