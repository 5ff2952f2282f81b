INSERT INTO brokerage.account_homes (account, home) SELECT account, -account FROM unnest($1::bigint[]) AS a (account)
ON CONFLICT (account) DO NOTHING
