-- A document of more than $2 bytes gives an empty text: see large.go.
SELECT CASE WHEN octet_length(doc::text) > $2 THEN '' ELSE brokerage.account_summary(customer, doc) END
FROM brokerage.customers
WHERE customer = $1
