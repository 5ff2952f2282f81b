// Reads a security.
export default ({ get, symbol }) => () => {
  const s = symbol();
  return get(`/v1/securities/${s}`, 'Security ', `<Symbol>${s}</Symbol>`);
};
