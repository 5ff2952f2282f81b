SELECT doc FROM securities WHERE symbol = ?
