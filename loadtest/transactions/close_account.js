// Closes an account that this user has opened.
export default ({ remove, nothing, takeOut, pools }) => () => {
  if (pools.accounts.length === 0) return nothing;
  const { customer, account } = takeOut(pools.accounts);
  return remove(`/v1/customers/${customer}/accounts/${account}`);
};
