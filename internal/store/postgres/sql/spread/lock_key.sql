-- The lock is taken where the slot is.
SELECT pg_try_advisory_xact_lock($2) FROM brokerage.once_slots WHERE slot = $1
