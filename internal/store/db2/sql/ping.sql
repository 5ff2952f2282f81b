-- Also answers whether the schema is there.
SELECT COUNT(*) FROM leases
