// Sells the security that an account holds in its first position.
export default ({ post, someAccount, heldBy, drawFrom, trades: { sell } }) => () => {
  const account = someAccount();
  const s = heldBy(account);
  const body = `<Trade xmlns="http://tpox-benchmark.com/custacc"><Symbol>${s}</Symbol><Quantity>${drawFrom(sell.quantity)}</Quantity></Trade>`;
  return post(`/v1/accounts/${account}/sell`, body, 'Trade_Confirmation', `<Symbol>${s}<`);
};
