SELECT value FROM settings WHERE name = CAST(? AS VARCHAR(64))
