INSERT INTO answers (client, key, hash, answer, expires) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET hash = excluded.hash, answer = excluded.answer, expires = excluded.expires
