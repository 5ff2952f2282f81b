INSERT INTO securities (symbol, name, type, sector, pe, yield, pe_text, yield_text, last_trade, price, doc)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
