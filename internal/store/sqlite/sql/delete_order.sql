DELETE FROM orders WHERE id = ?1 RETURNING account, length(doc)
