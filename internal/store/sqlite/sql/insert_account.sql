INSERT INTO accounts (id, customer) VALUES (?1, ?2)
