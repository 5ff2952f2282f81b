INSERT INTO brokerage.accounts (account, customer) VALUES ($1, $2)
