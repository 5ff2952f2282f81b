-- Each hit has all six elements: one that the security lacks is empty.
SELECT XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "Securities", XMLATTRIBUTES('http://tpox-benchmark.com/security' AS xmlns, count(*) AS count),
    XMLAGG(XMLELEMENT(NAME "Security",
      XMLELEMENT(NAME "Symbol", (keys).symbol), XMLELEMENT(NAME "Name", (keys).name), XMLELEMENT(NAME "SecurityType", (keys).type),
      XMLELEMENT(NAME "Sector", (keys).sector), XMLELEMENT(NAME "PE", (keys).pe_text), XMLELEMENT(NAME "Yield", (keys).yield_text))
      ORDER BY (keys).symbol COLLATE "C"))
  AS text)
FROM brokerage.securities
WHERE (keys).sector = $1 AND (keys).pe >= $2::numeric / 10000 AND (keys).pe < $3::numeric / 10000 AND (keys).yield > $4::numeric / 10000
