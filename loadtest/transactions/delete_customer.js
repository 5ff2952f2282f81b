// Deletes a customer that this user has inserted.
export default ({ remove, takeOut, pools, customers }) => {
  const send = remove();
  return takeOut(pools.customers, (id) => send(`${customers}/${id}`, null, ''));
};
