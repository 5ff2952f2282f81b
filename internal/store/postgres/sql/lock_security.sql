SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.securities WHERE (keys).symbol = $1 FOR UPDATE
