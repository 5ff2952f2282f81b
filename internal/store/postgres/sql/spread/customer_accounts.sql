SELECT (keys).accounts, elsewhere FROM brokerage.customers WHERE customer = $1
