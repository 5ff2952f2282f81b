SELECT length(doc) FROM customers WHERE id = ?
