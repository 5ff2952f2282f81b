-- How many rows the tables had at the last RUNSTATS, the automatic one included; -1 if there was none.
-- Manual: SYSCAT.TABLES catalog view; Automatic statistics collection.
SELECT tabname, card FROM SYSCAT.TABLES
WHERE tabschema = CURRENT SCHEMA AND tabname IN ('CUSTACC', 'ORDERS', 'SECURITY')
