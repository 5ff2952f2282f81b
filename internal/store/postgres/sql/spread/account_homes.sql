SELECT account, home, coalesce(customer, 0) FROM brokerage.account_homes WHERE account = ANY($1)
