-- As in mode keys, from the documents alone: the index is on expressions over them, and each hit is parsed once.
SELECT XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "Securities", XMLATTRIBUTES('http://tpox-benchmark.com/security' AS "xmlns", count(*) AS "count"),
    XMLAGG(XMLELEMENT(NAME "Security",
      XMLELEMENT(NAME "Symbol", k.symbol), XMLELEMENT(NAME "Name", k.name), XMLELEMENT(NAME "SecurityType", k.type),
      XMLELEMENT(NAME "Sector", k.sector), XMLELEMENT(NAME "PE", k.pe), XMLELEMENT(NAME "Yield", k.yield))
      ORDER BY k.symbol COLLATE "C"))
  AS text)
FROM (
  SELECT s.doc
  FROM brokerage.securities AS s
  WHERE (brokerage.keys_of_security(s.doc)).sector = $1
    AND (brokerage.keys_of_security(s.doc)).pe >= $2::numeric / 10000 AND (brokerage.keys_of_security(s.doc)).pe < $3::numeric / 10000
    AND (brokerage.keys_of_security(s.doc)).yield > $4::numeric / 10000 AND s.symbol COLLATE "C" > $5
  ORDER BY s.symbol COLLATE "C"
  LIMIT $6::bigint
) AS page
CROSS JOIN LATERAL XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/security' AS s), '/s:Security' PASSING page.doc
  COLUMNS symbol text PATH 's:Symbol[1]', name text PATH 's:Name[1]', type text PATH 's:SecurityType[1]',
    sector text PATH '(s:SecurityInformation/*/s:Sector)[1]', pe text PATH 's:PE[1]', yield text PATH 's:Yield[1]') AS k
