-- Index: none, it reads the whole table.
-- Manual: COUNT_BIG aggregate function (COUNT is an INTEGER, or a DECIMAL by large_aggregation).
SELECT CAST(COUNT_BIG(*) AS BIGINT) FROM custacc
