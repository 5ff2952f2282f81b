SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.orders
WHERE home = $1 AND (keys).account = $2 AND (keys).cash IS NOT NULL
ORDER BY (keys).cash DESC, (keys).id
LIMIT 1
