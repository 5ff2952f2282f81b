// Sells the security that an account holds in its first position.
export default ({ trade, someAccount, heldBy, drawFrom, trades }) => {
  const { quantity } = trades.sell;
  const send = trade('sell');
  return () => {
    const account = someAccount();
    return send(heldBy(account), account, drawFrom(quantity));
  };
};
