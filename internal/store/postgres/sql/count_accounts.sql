SELECT count(*) FROM brokerage.accounts
