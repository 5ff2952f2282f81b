UPDATE securities SET price = ?2, doc = ?3 WHERE symbol = ?1
