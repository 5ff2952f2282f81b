SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.customers WHERE customer = $1
