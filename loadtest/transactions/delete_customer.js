// Deletes a customer that this user has inserted.
export default ({ remove, nothing, takeOut, pools }) => () =>
  pools.customers.length === 0 ? nothing : remove(`/v1/customers/${takeOut(pools.customers)}`);
