UPDATE brokerage.orders SET doc = XMLPARSE(DOCUMENT $3::text PRESERVE WHITESPACE) WHERE home = $1 AND id = $2
