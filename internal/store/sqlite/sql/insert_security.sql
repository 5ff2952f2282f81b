INSERT INTO securities (symbol, name, type, sector, pe, yield, pe_text, yield_text, last_trade, price, doc)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
