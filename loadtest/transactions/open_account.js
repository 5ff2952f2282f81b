// Opens an account for a customer of the dataset.
export default ({ insert, shelf, ids, now, customer, customers, pools }) => {
  const send = insert('/v1/accounts/');
  const document = shelf('account');
  return () => {
    const to = customer();
    const account = ids('account');
    const body = document((slot) => (slot === 'account' ? account : now()));
    const opened = send(`${customers}/${to}/accounts`, body, account);
    if (opened) pools.accounts.push({ customer: to, account });
    return opened;
  };
};
