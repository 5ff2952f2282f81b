SELECT name, type, last_trade FROM securities WHERE symbol = ?
