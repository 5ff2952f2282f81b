-- On one server.
SELECT c.id, XMLSERIALIZE(CONTENT c.doc AS text)
FROM brokerage.accounts AS a
JOIN brokerage.customers AS c ON c.id = a.customer
WHERE a.account = $1
FOR UPDATE OF c
