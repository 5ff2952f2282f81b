SELECT home, customer FROM brokerage.account_homes WHERE account = $1 FOR UPDATE
