// Reads a customer and writes it back: a transaction of the older mix.
export default ({ replace, customer, customers }) => {
  const send = replace('<Customer ', ' id="', '"');
  return () => {
    const id = customer();
    return send(`${customers}/${id}`, id);
  };
};
