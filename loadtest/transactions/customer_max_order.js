// Reads the largest order of a customer.
export default ({ get, customer }) => () => {
  const id = customer();
  return get(`/v1/customers/${id}/orders/largest`, 'Customer_Max_Order ', ` CUSTOMERID="${id}"`);
};
