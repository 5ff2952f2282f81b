DELETE FROM brokerage.customers WHERE id = $1
