DELETE FROM brokerage.answers
WHERE (client, key) IN (SELECT client, key FROM brokerage.answers WHERE expires <= $1 ORDER BY expires LIMIT $2 FOR UPDATE SKIP LOCKED)
