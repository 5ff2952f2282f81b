INSERT INTO brokerage.customers (customer, elsewhere, doc) VALUES ($1, $2, XMLPARSE(DOCUMENT $3::text PRESERVE WHITESPACE))
