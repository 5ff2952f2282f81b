-- Finds nothing, but keeps the shard where it is until the transaction ends: see holds.
UPDATE brokerage.account_homes SET home = home WHERE account = $1 AND home IS NULL
