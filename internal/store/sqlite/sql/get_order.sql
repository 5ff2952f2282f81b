SELECT doc FROM orders WHERE id = ?
