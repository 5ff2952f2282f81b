-- Finds nothing, but keeps the shard where it is until the transaction ends: see holds.
UPDATE brokerage.securities SET doc = doc WHERE symbol = $1 AND doc IS NULL
