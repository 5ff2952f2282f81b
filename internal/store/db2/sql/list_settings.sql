SELECT name, value FROM settings WHERE name LIKE CAST(? AS VARCHAR(64))
