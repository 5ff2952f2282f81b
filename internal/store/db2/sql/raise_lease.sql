-- A load moves the ids on behind its own; never back.
UPDATE leases SET next_id = CAST(? AS BIGINT) WHERE kind = CAST(? AS VARCHAR(16)) AND next_id < CAST(? AS BIGINT)
