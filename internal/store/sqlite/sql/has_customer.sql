SELECT id FROM customers WHERE id = ?1
