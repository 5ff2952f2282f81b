SELECT customer FROM brokerage.customers WHERE customer = $1
