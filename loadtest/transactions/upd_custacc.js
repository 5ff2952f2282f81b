// Reads a customer and writes it back: a transaction of the older mix.
export default ({ replace, customer }) => () => {
  const id = customer();
  return replace(`/v1/customers/${id}`, 'Customer ', ` id="${id}"`);
};
