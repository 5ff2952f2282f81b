INSERT INTO customers (id, doc) VALUES (?1, ?2)
