INSERT INTO brokerage.answers (slot, client, key, hash, answer, expires) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (slot, client, key) DO UPDATE SET hash = excluded.hash, answer = excluded.answer, expires = excluded.expires
