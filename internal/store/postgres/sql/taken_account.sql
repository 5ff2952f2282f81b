-- The first of some accounts, in their order, that another customer has.
SELECT account FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted (account, n)
JOIN brokerage.accounts AS a USING (account)
WHERE a.customer <> $2
ORDER BY n LIMIT 1
