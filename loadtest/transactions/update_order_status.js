// Sets the status of an order.
export default ({ put, order, below, updates: { status } }) => () => {
  const code = status[below(status.length)];
  const body = `<OrderStatus xmlns="http://www.fixprotocol.org/FIXML-4-4" Stat="${code}"/>`;
  return put(`/v1/orders/${order()}/status`, body, 'OrderStatus', ` Stat="${code}"`);
};
