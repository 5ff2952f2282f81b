SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.orders WHERE home = $1 AND id = $2 FOR UPDATE
