-- All hits, or with $6 that many after the symbol $5. Each has all six elements: one that the security lacks is empty.
SELECT XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "Securities", XMLATTRIBUTES('http://tpox-benchmark.com/security' AS "xmlns", count(*) AS "count"),
    XMLAGG(XMLELEMENT(NAME "Security",
      XMLELEMENT(NAME "Symbol", symbol), XMLELEMENT(NAME "Name", name), XMLELEMENT(NAME "SecurityType", type),
      XMLELEMENT(NAME "Sector", sector), XMLELEMENT(NAME "PE", pe_text), XMLELEMENT(NAME "Yield", yield_text))
      ORDER BY symbol COLLATE "C"))
  AS text)
FROM (
  SELECT symbol, name, type, sector, pe_text, yield_text
  FROM brokerage.security_search
  WHERE sector = $1 AND pe >= $2 AND pe < $3 AND yield > $4 AND symbol COLLATE "C" > $5
  ORDER BY symbol COLLATE "C"
  LIMIT $6::bigint
) AS page
