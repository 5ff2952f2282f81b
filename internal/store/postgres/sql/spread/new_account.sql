INSERT INTO brokerage.account_homes (account, home, customer) VALUES ($1, $2, $2)
