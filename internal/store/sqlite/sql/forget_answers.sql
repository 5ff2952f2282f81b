DELETE FROM answers
WHERE (client, key) IN (SELECT client, key FROM answers WHERE expires <= ?1 ORDER BY expires LIMIT ?2)
