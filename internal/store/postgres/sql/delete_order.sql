-- On one server, where both rows are of one snapshot.
WITH gone AS (
  DELETE FROM brokerage.orders WHERE id = $1 RETURNING id, account
), its_cash AS (
  DELETE FROM brokerage.account_orders AS r USING gone WHERE r.account = gone.account AND r.id = gone.id
)
SELECT id FROM gone
