-- On a cluster: the greatest order of an account, and with $2 the next ones.
SELECT id, cash_text FROM brokerage.account_orders WHERE account = $1 ORDER BY cash DESC, id LIMIT $2
