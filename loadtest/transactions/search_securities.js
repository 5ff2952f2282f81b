// Searches securities by sector, price-earnings ratio and yield.
export default ({ get, below, drawFrom, search: { sectors, peMin, peMax, yieldMin } }) => () => {
  const sector = sectors[below(sectors.length)];
  const query = `sector=${sector}&peMin=${drawFrom(peMin)}&peMax=${drawFrom(peMax)}&yieldMin=${drawFrom(yieldMin)}`;
  return get(`/v1/securities?${query}`, 'Securities ', ' count="');
};
