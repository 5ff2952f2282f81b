INSERT INTO brokerage.account_homes (account, home) VALUES ($1, -$1::bigint) ON CONFLICT (account) DO NOTHING
