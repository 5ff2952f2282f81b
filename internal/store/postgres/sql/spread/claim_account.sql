UPDATE brokerage.account_homes SET customer = $2 WHERE account = $1
