// Reads an order.
export default ({ get, order }) => () => {
  const id = order();
  return get(`/v1/orders/${id}`, 'Order ', ` ID="${id}"`);
};
