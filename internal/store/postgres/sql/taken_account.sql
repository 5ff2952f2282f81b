SELECT account FROM brokerage.accounts WHERE account = ANY($1) AND customer <> $2 ORDER BY array_position($1, account) LIMIT 1
