// Reads the price of a security.
export default ({ get, symbol }) => () => {
  const s = symbol();
  return get(`/v1/securities/${s}/price`, 'Security_Price ', ` SYMBOL="${s}"`);
};
