DELETE FROM brokerage.accounts WHERE account = $1
