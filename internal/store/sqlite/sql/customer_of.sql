SELECT customer FROM accounts WHERE id = ?
