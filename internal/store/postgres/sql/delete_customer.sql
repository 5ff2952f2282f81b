DELETE FROM brokerage.customers WHERE (keys).id = $1
