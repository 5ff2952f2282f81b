INSERT INTO brokerage.orders (customer, doc)
VALUES ((SELECT customer FROM brokerage.accounts WHERE account = $1), XMLPARSE(DOCUMENT $2::text PRESERVE WHITESPACE))
