SELECT account FROM brokerage.accounts WHERE account = ANY($1) AND customer <> $2
