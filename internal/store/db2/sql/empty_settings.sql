DELETE FROM settings WHERE name <> 'schema.version'
