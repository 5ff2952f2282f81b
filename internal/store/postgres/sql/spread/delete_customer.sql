DELETE FROM brokerage.customers WHERE customer = $1
