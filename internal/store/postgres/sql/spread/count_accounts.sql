SELECT count(*) FROM brokerage.account_homes WHERE customer IS NOT NULL
