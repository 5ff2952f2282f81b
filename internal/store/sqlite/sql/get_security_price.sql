SELECT price FROM securities WHERE symbol = ?
