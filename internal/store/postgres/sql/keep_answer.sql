INSERT INTO brokerage.answers (client, key, hash, answer, expires) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (client, key) DO UPDATE SET hash = excluded.hash, answer = excluded.answer, expires = excluded.expires
