// Deletes an order that this user has inserted.
export default ({ remove, takeOut, pools, orders }) => {
  const send = remove();
  return takeOut(pools.orders, (id) => send(`${orders}/${id}`, null, ''));
};
