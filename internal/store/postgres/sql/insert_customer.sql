INSERT INTO brokerage.customers (id, accounts, doc) VALUES ($1, $2, XMLPARSE(DOCUMENT $3::text PRESERVE WHITESPACE))
