-- Each hit has all six elements: one that the security lacks is empty.
SELECT concat('<Securities xmlns="http://tpox-benchmark.com/security" count="', count(*), '">',
  string_agg(XMLSERIALIZE(CONTENT XMLELEMENT(NAME "Security",
      XMLELEMENT(NAME "Symbol", symbol), XMLELEMENT(NAME "Name", name), XMLELEMENT(NAME "SecurityType", type),
      XMLELEMENT(NAME "Sector", sector), XMLELEMENT(NAME "PE", pe_text), XMLELEMENT(NAME "Yield", yield_text)) AS text), ''
    ORDER BY symbol COLLATE "C"), '</Securities>')
FROM (
  SELECT symbol, name, type, sector, pe_text, yield_text
  FROM brokerage.security_search
  WHERE sector = $1 AND pe >= $2::numeric / 10000 AND pe < $3::numeric / 10000 AND yield > $4::numeric / 10000 AND symbol COLLATE "C" > $5
  ORDER BY symbol COLLATE "C"
  LIMIT $6
) AS page
