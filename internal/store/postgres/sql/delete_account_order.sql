DELETE FROM brokerage.account_orders WHERE account = $1 AND id = $2
