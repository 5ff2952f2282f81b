-- Joined by string_agg: XMLAGG copies all that it has for every row that it adds.
SELECT concat('<Securities xmlns="http://tpox-benchmark.com/security" count="', count(*), '">',
  string_agg(XMLSERIALIZE(CONTENT XMLELEMENT(NAME "Security",
      XMLFOREST((keys).symbol AS "Symbol", (keys).name AS "Name", (keys).type AS "SecurityType", (keys).sector AS "Sector",
        (keys).pe_text AS "PE", (keys).yield_text AS "Yield")) AS text), ''
    ORDER BY (keys).symbol COLLATE "C"), '</Securities>')
FROM brokerage.securities
WHERE (keys).sector = $1 AND (keys).pe >= $2::numeric / 10000 AND (keys).pe < $3::numeric / 10000 AND (keys).yield > $4::numeric / 10000
