-- Index: none, it reads the whole table.
SELECT COUNT(*) FROM security
