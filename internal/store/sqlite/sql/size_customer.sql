SELECT length(doc) FROM customers WHERE id = ?1
