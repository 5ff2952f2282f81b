// Reads the price of a security.
export default ({ read, symbol, securities }) =>
  read({ draw: symbol, path: securities, after: '/price', answer: ['<Security_Price ', ' SYMBOL="', '"'] });
