// Sets the price of a security.
export default ({ put, symbol, drawFrom, updates: { price } }) => () => {
  const s = symbol();
  const last = (drawFrom(price) / 100).toFixed(2);
  const body = `<Price xmlns="http://tpox-benchmark.com/security"><LastTrade>${last}</LastTrade></Price>`;
  return put(`/v1/securities/${s}/price`, body, 'Security_Price ', ` SYMBOL="${s}"`);
};
