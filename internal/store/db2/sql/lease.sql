-- The row stays locked until the commit, so that the read after it (leased) sees what this has done.
UPDATE leases SET next_id = next_id + CAST(? AS BIGINT) WHERE kind = CAST(? AS VARCHAR(16)) AND next_id <= CAST(? AS BIGINT)
