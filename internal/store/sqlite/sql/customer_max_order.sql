-- The best order of each account comes from the index; the best of those, with
-- its document, from one look-up more. A customer without orders is a row of NULL.
SELECT (
  SELECT doc FROM orders WHERE id = (
    SELECT o.id
    FROM accounts AS a
    JOIN orders AS o ON o.id = (
      SELECT id FROM orders WHERE account = a.id AND cash IS NOT NULL ORDER BY cash DESC, id LIMIT 1
    )
    WHERE a.customer = c.id
    ORDER BY o.cash DESC, o.id
    LIMIT 1
  )
)
FROM customers AS c
WHERE c.id = ?1
