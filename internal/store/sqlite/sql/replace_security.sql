UPDATE securities
SET name = ?2, type = ?3, sector = ?4, pe = ?5, yield = ?6, pe_text = ?7, yield_text = ?8, last_trade = ?9, price = ?10, doc = ?11
WHERE symbol = ?1
