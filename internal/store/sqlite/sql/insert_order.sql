INSERT INTO orders (id, account, cash, doc) VALUES (?1, ?2, ?3, ?4)
