SELECT accounts FROM brokerage.customers WHERE id = $1
