-- Finds nothing, but keeps the shard where it is until the transaction ends: see holds.
UPDATE brokerage.customers SET elsewhere = elsewhere WHERE customer = $1 AND elsewhere IS NULL
