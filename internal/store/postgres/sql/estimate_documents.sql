-- How many rows the planner takes a table to have: as many to a page as when it was last vacuumed or analysed, on the
-- pages that it has now; NULL if it never was. Beside it the bytes of the table with its long documents, without indexes.
-- Both look at the catalogue and at the sizes of files, and read no row.
SELECT c.relname,
  CASE
    WHEN c.reltuples < 0 THEN NULL
    WHEN c.relpages > 0 THEN (c.reltuples * (pg_relation_size(c.oid) / current_setting('block_size')::bigint) / c.relpages)::bigint
    WHEN pg_relation_size(c.oid) = 0 THEN 0
  END,
  pg_table_size(c.oid)
FROM pg_class AS c
WHERE c.oid IN ('brokerage.orders'::regclass, 'brokerage.customers'::regclass, 'brokerage.securities'::regclass)
