UPDATE brokerage.customers SET accounts = $2, doc = XMLPARSE(DOCUMENT $3::text PRESERVE WHITESPACE) WHERE id = $1
