SELECT doc FROM customers WHERE id = ?1
