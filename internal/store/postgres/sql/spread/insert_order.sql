INSERT INTO brokerage.orders (home, id, doc) VALUES ($1, $2, XMLPARSE(DOCUMENT $3::text PRESERVE WHITESPACE))
