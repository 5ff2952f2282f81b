SELECT XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "Securities", XMLATTRIBUTES('http://tpox-benchmark.com/security' AS xmlns, count(*) AS count),
    XMLAGG(XMLELEMENT(NAME "Security",
      XMLFOREST((keys).symbol AS "Symbol", (keys).name AS "Name", (keys).type AS "SecurityType", (keys).sector AS "Sector",
        (keys).pe_text AS "PE", (keys).yield_text AS "Yield"))
      ORDER BY (keys).symbol COLLATE "C"))
  AS text)
FROM brokerage.securities
WHERE (keys).sector = $1 AND (keys).pe >= $2::numeric / 10000 AND (keys).pe < $3::numeric / 10000 AND (keys).yield > $4::numeric / 10000
