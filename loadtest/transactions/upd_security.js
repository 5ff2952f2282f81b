// Reads a security and writes it back: a transaction of the older mix.
export default ({ replace, symbol, securities }) => {
  const send = replace('<Security ', '<Symbol>', '</Symbol>');
  return () => {
    const s = symbol();
    return send(`${securities}/${s}`, s);
  };
};
