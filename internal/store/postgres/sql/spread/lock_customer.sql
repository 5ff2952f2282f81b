-- A document of more than $2 bytes is not found: see large.go.
SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.customers WHERE customer = $1 AND octet_length(doc::text) <= $2 FOR UPDATE
