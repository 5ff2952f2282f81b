-- Finds nothing, but keeps the shard where it is until the transaction ends: see holds.
UPDATE brokerage.answers SET hash = hash WHERE slot = $1 AND hash IS NULL
