UPDATE customers SET doc = ?2 WHERE id = ?1
