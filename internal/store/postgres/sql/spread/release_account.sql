UPDATE brokerage.account_homes SET customer = NULL WHERE account = $1
