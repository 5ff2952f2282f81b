SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.orders WHERE id = $1
