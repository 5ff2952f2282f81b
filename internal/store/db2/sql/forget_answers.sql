-- Expired answers go in small numbers: see purge in once.go.
DELETE FROM answers
WHERE id IN (SELECT id FROM answers WHERE expires <= CAST(? AS BIGINT) ORDER BY expires FETCH FIRST 200 ROWS ONLY)
