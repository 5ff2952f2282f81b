INSERT INTO brokerage.orders (id, account, doc) VALUES ($1, $2, XMLPARSE(DOCUMENT $3::text PRESERVE WHITESPACE))
