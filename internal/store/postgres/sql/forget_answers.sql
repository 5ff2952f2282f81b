DELETE FROM brokerage.answers
WHERE slot = $1 AND (client, key) IN (SELECT client, key FROM brokerage.answers WHERE slot = $1 AND expires <= $2 ORDER BY expires LIMIT $3)
