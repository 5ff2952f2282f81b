// Reads a security and writes it back: a transaction of the older mix.
export default ({ replace, symbol }) => () => {
  const s = symbol();
  return replace(`/v1/securities/${s}`, 'Security ', `<Symbol>${s}</Symbol>`);
};
