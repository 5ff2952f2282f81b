-- As in mode keys, from the documents alone: the index is on expressions over them, and each hit is parsed once.
SELECT concat('<Securities xmlns="http://tpox-benchmark.com/security" count="', count(*), '">',
  string_agg(XMLSERIALIZE(CONTENT XMLELEMENT(NAME "Security",
      XMLELEMENT(NAME "Symbol", k.symbol), XMLELEMENT(NAME "Name", k.name), XMLELEMENT(NAME "SecurityType", k.type),
      XMLELEMENT(NAME "Sector", k.sector), XMLELEMENT(NAME "PE", k.pe), XMLELEMENT(NAME "Yield", k.yield)) AS text), ''
    ORDER BY k.symbol COLLATE "C"), '</Securities>')
FROM brokerage.securities AS hit
CROSS JOIN LATERAL XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/security' AS s), '/s:Security' PASSING hit.doc
  COLUMNS symbol text PATH 's:Symbol[1]', name text PATH 's:Name[1]', type text PATH 's:SecurityType[1]',
    sector text PATH '(s:SecurityInformation/*/s:Sector)[1]', pe text PATH 's:PE[1]', yield text PATH 's:Yield[1]') AS k
WHERE (brokerage.keys_of_security(hit.doc)).sector = $1
  AND (brokerage.keys_of_security(hit.doc)).pe >= $2::numeric / 10000 AND (brokerage.keys_of_security(hit.doc)).pe < $3::numeric / 10000
  AND (brokerage.keys_of_security(hit.doc)).yield > $4::numeric / 10000
