-- Not RETURNING of the deletion, for which SQLite opens a temporary table.
SELECT account, length(doc) FROM orders WHERE id = ?
