SELECT customer FROM brokerage.accounts WHERE account = $1
