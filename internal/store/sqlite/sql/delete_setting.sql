DELETE FROM settings WHERE name = ?1
