DELETE FROM accounts WHERE customer = ?
