// Searches securities by sector, price-earnings ratio and yield.
export default ({ query, below, drawFrom, search, securities }) => {
  const { peMin, peMax, yieldMin, sectors } = search;
  const send = query('<Securities ', ' count="', '');
  return {
    draw: () =>
      `?sector=${sectors[below(sectors.length)]}&peMin=${drawFrom(peMin)}&peMax=${drawFrom(peMax)}&yieldMin=${drawFrom(yieldMin)}`,
    run: (parameters) => send(securities + parameters, null, ''),
  };
};
