SELECT doc FROM securities WHERE symbol = ?1
