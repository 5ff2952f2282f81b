-- Each hit has all six elements: one that the security lacks is empty.
SELECT concat('<Securities xmlns="http://tpox-benchmark.com/security" count="', count(*), '">',
  string_agg(XMLSERIALIZE(CONTENT XMLELEMENT(NAME "Security",
      XMLELEMENT(NAME "Symbol", (keys).symbol), XMLELEMENT(NAME "Name", (keys).name), XMLELEMENT(NAME "SecurityType", (keys).type),
      XMLELEMENT(NAME "Sector", (keys).sector), XMLELEMENT(NAME "PE", (keys).pe_text), XMLELEMENT(NAME "Yield", (keys).yield_text)) AS text), ''
    ORDER BY (keys).symbol COLLATE "C"), '</Securities>')
FROM (
  SELECT keys
  FROM brokerage.securities
  WHERE (keys).sector = $1 AND (keys).pe >= $2::numeric / 10000 AND (keys).pe < $3::numeric / 10000 AND (keys).yield > $4::numeric / 10000
    AND (keys).symbol COLLATE "C" > $5
  ORDER BY (keys).symbol COLLATE "C"
  LIMIT $6
) AS page
