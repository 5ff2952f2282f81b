SELECT customer FROM accounts WHERE id = ?1
