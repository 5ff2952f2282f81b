examples.update_order_status = {
  draw: async (d) => {
    const status = one([...'012348']);
    const body = `<OrderStatus xmlns="http://www.fixprotocol.org/FIXML-4-4" Stat="${status}"/>`;
    return { ...(await order(d)), body };
  },
};
