UPDATE brokerage.customers SET doc = XMLPARSE(DOCUMENT $2::text PRESERVE WHITESPACE) WHERE customer = $1
