DELETE FROM customers WHERE id = ?
