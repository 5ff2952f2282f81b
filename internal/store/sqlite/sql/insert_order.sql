INSERT INTO orders (id, account, cash, doc) VALUES (?, ?, ?, ?)
