// Reads the statement of a customer.
export default ({ read, customer, customers }) =>
  read({ draw: customer, path: customers, after: '/statement', answer: ['<Customer ', ' id="', '"'] });
