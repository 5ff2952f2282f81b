// Reads the profile of a customer.
export default ({ get, customer }) => () => {
  const id = customer();
  return get(`/v1/customers/${id}/profile`, 'Customer_Profile ', ` CUSTOMERID="${id}"`);
};
