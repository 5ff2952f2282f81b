examples.search_securities = {
  draw: async (d) => ({
    sector: one(d.sectors), peMin: d.bounds('PEMin'), peMax: d.bounds('PEMax'), yieldMin: d.bounds('YieldMin'),
  }),
};
