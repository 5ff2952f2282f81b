-- A document of more than $2 bytes is not found: see large.go.
SELECT (c.keys).id, XMLSERIALIZE(CONTENT c.doc AS text)
FROM brokerage.accounts AS a
JOIN brokerage.customers AS c ON (c.keys).id = a.customer
WHERE a.account = $1 AND octet_length(c.doc::text) <= $2
FOR UPDATE OF c
