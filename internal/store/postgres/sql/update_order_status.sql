UPDATE brokerage.orders SET doc = XMLPARSE(DOCUMENT $2::text PRESERVE WHITESPACE) WHERE (keys).id = $1
