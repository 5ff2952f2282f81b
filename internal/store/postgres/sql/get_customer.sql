SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.customers WHERE (keys).id = $1
