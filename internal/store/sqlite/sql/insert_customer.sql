INSERT INTO customers (id, doc) VALUES (?, ?)
