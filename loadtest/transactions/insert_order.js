// Inserts an order.
export default ({ insert, document, ids, now, someAccount, symbol, pools }) => () => {
  const id = ids('order');
  const datetime = now();
  const slots = { order: id, account: someAccount(), symbol: symbol(), date: datetime.slice(0, 10), datetime };
  const inserted = insert('/v1/orders', document('order', slots), `/v1/orders/${id}`);
  if (inserted !== null) pools.orders.push(id);
  return inserted;
};
