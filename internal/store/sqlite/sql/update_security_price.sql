UPDATE securities SET doc = ?2 WHERE symbol = ?1
