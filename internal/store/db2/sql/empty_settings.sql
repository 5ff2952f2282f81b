DELETE FROM settings WHERE name <> 'schema.version' AND name <> 'database.identity'
