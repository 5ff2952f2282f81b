SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.orders WHERE (keys).id = $1 FOR UPDATE
