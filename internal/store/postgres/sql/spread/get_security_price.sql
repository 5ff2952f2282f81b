SELECT brokerage.security_price(doc) FROM brokerage.securities WHERE symbol = $1
