INSERT INTO accounts (id, customer) VALUES (?, ?)
