-- The lock holds where the slot is, which on a cluster is one node.
SELECT pg_try_advisory_xact_lock($2) FROM brokerage.once_slots WHERE slot = $1
