// Closes an account that this user has opened.
export default ({ remove, takeOut, pools, customers }) => {
  const send = remove();
  return takeOut(pools.accounts, ({ customer, account }) =>
    send(`${customers}/${customer}/accounts/${account}`, null, account));
};
