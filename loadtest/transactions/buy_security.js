// Buys a security: often the one that the account holds in its first position.
export default ({ post, someAccount, heldBy, symbol, drawFrom, next, trades: { buy } }) => () => {
  const account = someAccount();
  const s = next() < buy.held ? heldBy(account) : symbol();
  const body = `<Trade xmlns="http://tpox-benchmark.com/custacc"><Symbol>${s}</Symbol><Quantity>${drawFrom(buy.quantity)}</Quantity></Trade>`;
  return post(`/v1/accounts/${account}/buy`, body, 'Trade_Confirmation', `<Symbol>${s}<`);
};
