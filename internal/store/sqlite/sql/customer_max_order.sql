-- The best order of each account comes from the index, and only the best of those is read. A customer without orders has
-- 0 and NULL. A customer with accounts exists; only for one without accounts is the document's page read.
-- The accounts are returned to check later whether the answer is still right.
SELECT coalesce(best.id, 0), best.doc, (SELECT group_concat(id) FROM accounts WHERE customer = ?1)
FROM accounts AS own
LEFT JOIN orders AS best ON best.id = (
  SELECT o.id
  FROM accounts AS a
  JOIN orders AS o ON o.account = a.id AND o.cash = (
    SELECT cash FROM orders WHERE account = a.id AND cash IS NOT NULL ORDER BY cash DESC LIMIT 1
  )
  WHERE a.customer = ?1
  ORDER BY o.cash DESC, o.id
  LIMIT 1
)
WHERE own.customer = ?1
UNION ALL
SELECT 0, NULL, '' FROM customers WHERE id = ?1
LIMIT 1
