SELECT XMLSERIALIZE(CONTENT c.doc AS text)
FROM brokerage.accounts AS a
JOIN brokerage.customers AS c ON (c.keys).id = a.customer
WHERE a.account = $1
