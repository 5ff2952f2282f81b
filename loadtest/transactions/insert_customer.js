// Inserts a customer with up to three accounts.
export default ({ insert, document, ids, now, unvalidated, pools }) => () => {
  const id = ids('customer');
  const account = ids('account'); // and the two after it
  const slots = { customer: id, account, account2: account + 1, account3: account + 2, datetime: now() };
  const inserted = insert(`/v1/customers${unvalidated}`, document('customer', slots), `/v1/customers/${id}`);
  if (inserted !== null) pools.customers.push(id);
  return inserted;
};
