// Reads the largest order of a customer.
export default ({ read, customer, customers }) =>
  read({ draw: customer, path: customers, after: '/orders/largest', answer: ['<Customer_Max_Order ', ' CUSTOMERID="', '"'] });
