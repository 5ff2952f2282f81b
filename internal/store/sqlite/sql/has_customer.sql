SELECT id FROM customers WHERE id = ?
