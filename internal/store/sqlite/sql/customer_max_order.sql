-- The best order of each account comes from the index; the best of those, with
-- its document, from one look-up more. A customer without orders has 0 and NULL.
-- The accounts are there to tell later whether the answer is still right.
SELECT coalesce(best.id, 0), best.doc, (SELECT coalesce(group_concat(id), '') FROM accounts WHERE customer = c.id)
FROM customers AS c
LEFT JOIN orders AS best ON best.id = (
  SELECT o.id
  FROM accounts AS a
  JOIN orders AS o ON o.id = (
    SELECT id FROM orders WHERE account = a.id AND cash IS NOT NULL ORDER BY cash DESC, id LIMIT 1
  )
  WHERE a.customer = c.id
  ORDER BY o.cash DESC, o.id
  LIMIT 1
)
WHERE c.id = ?
