// Buys a security: often the one that the account holds in its first position.
export default ({ trade, someAccount, heldBy, symbol, drawFrom, next, trades }) => {
  const { held, quantity } = trades.buy;
  const send = trade('buy');
  return () => {
    const account = someAccount();
    return send(next() < held ? heldBy(account) : symbol(), account, drawFrom(quantity));
  };
};
