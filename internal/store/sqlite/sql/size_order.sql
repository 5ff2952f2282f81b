-- Read before the deletion, because SQLite opens a temporary table for RETURNING.
SELECT account, length(doc) FROM orders WHERE id = ?
