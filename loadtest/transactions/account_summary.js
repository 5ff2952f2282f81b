// Reads the statement of a customer.
export default ({ get, customer }) => () => {
  const id = customer();
  return get(`/v1/customers/${id}/statement`, 'Customer ', ` id="${id}"`);
};
