// Sets the status of an order.
export default ({ change, order, below, updates, orders, FIXML }) => {
  const { status } = updates;
  const send = change('<OrderStatus', ' Stat="', '"');
  return () => {
    const code = status[below(status.length)];
    return send(`${orders}/${order()}/status`, `<OrderStatus xmlns="${FIXML}" Stat="${code}"/>`, code);
  };
};
