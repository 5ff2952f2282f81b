// Reads the profile of a customer.
export default ({ read, customer, customers }) =>
  read({ draw: customer, path: customers, after: '/profile', answer: ['<Customer_Profile ', ' CUSTOMERID="', '"'] });
