// Opens an account for a customer of the dataset.
export default ({ insert, document, ids, now, customer, pools }) => () => {
  const to = customer();
  const account = ids('account');
  const body = document('account', { account, datetime: now() });
  const opened = insert(`/v1/customers/${to}/accounts`, body, `/v1/accounts/${account}`);
  if (opened !== null) pools.accounts.push({ customer: to, account });
  return opened;
};
