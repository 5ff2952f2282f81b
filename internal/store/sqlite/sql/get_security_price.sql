SELECT price FROM securities WHERE symbol = ?1
