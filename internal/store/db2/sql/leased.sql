SELECT next_id FROM leases WHERE kind = CAST(? AS VARCHAR(16))
