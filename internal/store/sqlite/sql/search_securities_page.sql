SELECT symbol, name, type, sector, pe_text, yield_text
FROM securities
WHERE sector = ?1 AND pe >= ?2 AND pe < ?3 AND yield > ?4 AND symbol > ?5
ORDER BY symbol
LIMIT ?6
