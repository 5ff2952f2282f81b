SELECT home FROM brokerage.account_homes WHERE account = $1
