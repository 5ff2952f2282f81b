// Inserts an order.
export default ({ insert, shelf, ids, now, someAccount, symbol, orders, pools }) => {
  const send = insert('/v1/orders/');
  const document = shelf('order');
  return () => {
    const id = ids('order');
    const body = document((slot) => {
      switch (slot) {
        case 'order':
          return id;
        case 'account':
          return someAccount();
        case 'symbol':
          return symbol();
        case 'date':
          return now().slice(0, 10);
        default:
          return now();
      }
    });
    const inserted = send(orders, body, id);
    if (inserted) pools.orders.push(id);
    return inserted;
  };
};
