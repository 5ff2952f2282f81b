SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.securities WHERE symbol = $1 FOR UPDATE
