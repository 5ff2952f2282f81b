SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.customers WHERE id = $1
