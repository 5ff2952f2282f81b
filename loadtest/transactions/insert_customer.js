// Inserts a customer with up to three accounts.
export default ({ insert, shelf, ids, now, customers, unvalidated, pools }) => {
  const send = insert('/v1/customers/');
  const document = shelf('customer');
  return () => {
    const id = ids('customer');
    const account = ids('account'); // and the two after it
    const body = document((slot) => {
      switch (slot) {
        case 'customer':
          return id;
        case 'account':
          return account;
        case 'account2':
          return account + 1;
        case 'account3':
          return account + 2;
        default:
          return now();
      }
    });
    const inserted = send(customers + unvalidated, body, id);
    if (inserted) pools.customers.push(id);
    return inserted;
  };
};
