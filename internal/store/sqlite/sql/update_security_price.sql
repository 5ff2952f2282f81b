UPDATE securities SET last_trade = ?2, price = ?3, doc = ?4 WHERE symbol = ?1
