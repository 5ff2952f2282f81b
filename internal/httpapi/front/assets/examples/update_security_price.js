examples.update_security_price = {
  draw: async (d) => {
    const last = (between(100, 50_000) / 100).toFixed(2);
    const body = `<Price xmlns="http://tpox-benchmark.com/security"><LastTrade>${last}</LastTrade></Price>`;
    return { ...(await price(d)), body };
  },
};
