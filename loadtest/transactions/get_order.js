// Reads an order.
export default ({ read, order, orders }) =>
  read({ draw: order, path: orders, answer: ['<Order ', ' ID="', '"'] });
