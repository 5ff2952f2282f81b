UPDATE brokerage.customers SET doc = XMLPARSE(DOCUMENT $2::text PRESERVE WHITESPACE), elsewhere = $3 WHERE customer = $1
