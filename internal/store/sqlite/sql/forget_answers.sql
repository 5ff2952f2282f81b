DELETE FROM answers
WHERE (client, key) IN (SELECT client, key FROM answers WHERE expires <= ? ORDER BY expires LIMIT ?)
