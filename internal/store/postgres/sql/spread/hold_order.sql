-- Finds nothing, but keeps the shard where it is until the transaction ends: see holds.
UPDATE brokerage.orders SET doc = doc WHERE home = $1 AND doc IS NULL
