SELECT doc FROM orders WHERE id = ?1
