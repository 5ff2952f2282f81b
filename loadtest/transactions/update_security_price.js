// Sets the price of a security.
export default ({ change, symbol, drawFrom, updates, securities, SECURITY }) => {
  const { price } = updates;
  const send = change('<Security_Price ', ' SYMBOL="', '"');
  return () => {
    const s = symbol();
    const last = (drawFrom(price) / 100).toFixed(2);
    return send(`${securities}/${s}/price`, `<Price xmlns="${SECURITY}"><LastTrade>${last}</LastTrade></Price>`, s);
  };
};
