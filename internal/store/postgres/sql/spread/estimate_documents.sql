-- As on one server, for all partitions of a table. Of a cluster nothing is known here: its tables are on other nodes.
SELECT c.relname,
  CASE WHEN bool_or(p.reltuples < 0) THEN NULL ELSE sum(CASE
    WHEN p.relpages > 0 THEN (p.reltuples * (pg_relation_size(p.oid) / current_setting('block_size')::bigint) / p.relpages)::bigint
    WHEN pg_relation_size(p.oid) = 0 THEN 0
  END)::bigint END,
  sum(pg_table_size(p.oid))::bigint
FROM pg_class AS c
CROSS JOIN LATERAL pg_partition_tree(c.oid) AS t
JOIN pg_class AS p ON p.oid = t.relid
WHERE c.oid IN ('brokerage.orders'::regclass, 'brokerage.customers'::regclass, 'brokerage.securities'::regclass) AND t.isleaf
GROUP BY c.relname
