SELECT customer FROM brokerage.account_homes WHERE account = $1 AND customer IS NOT NULL
