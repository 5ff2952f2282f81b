// Deletes an order that this user has inserted.
export default ({ remove, nothing, takeOut, pools }) => () =>
  pools.orders.length === 0 ? nothing : remove(`/v1/orders/${takeOut(pools.orders)}`);
