// Reads a security.
export default ({ read, symbol, securities }) =>
  read({ draw: symbol, path: securities, answer: ['<Security ', '<Symbol>', '</Symbol>'] });
