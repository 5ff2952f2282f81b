SELECT doc FROM customers WHERE id = ?
