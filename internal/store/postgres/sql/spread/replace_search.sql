INSERT INTO brokerage.security_search (symbol, sector, pe, yield, name, type, pe_text, yield_text)
SELECT k.symbol, k.sector, k.pe, k.yield, k.name, k.type, k.pe_text, k.yield_text
FROM brokerage.keys_of_security(XMLPARSE(DOCUMENT $1::text PRESERVE WHITESPACE)) AS k
ON CONFLICT (symbol) DO UPDATE SET sector = excluded.sector, pe = excluded.pe, yield = excluded.yield, name = excluded.name,
  type = excluded.type, pe_text = excluded.pe_text, yield_text = excluded.yield_text
