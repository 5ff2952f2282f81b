DELETE FROM accounts WHERE customer = ?1
