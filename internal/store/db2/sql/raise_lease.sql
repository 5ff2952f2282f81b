-- A load raises the next id above its own ids, and never lowers it.
UPDATE leases SET next_id = CAST(? AS BIGINT) WHERE kind = CAST(? AS VARCHAR(16)) AND next_id < CAST(? AS BIGINT)
