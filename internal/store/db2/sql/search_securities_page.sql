-- search_securities (Q4), the hits after a symbol. No more are sorted than a page may have; the store reads as many of
-- them as it needs.
-- Index: security_sector, security_pe, security_yield.
-- Manual: fetch-clause; and that of search_securities.
SELECT a.doc
FROM (
  SELECT XMLSERIALIZE(XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/security";
    for $s in $d/Security
    return <Security>
      <Symbol>{fn:string($s/Symbol[1])}</Symbol><Name>{fn:string($s/Name[1])}</Name><SecurityType>{fn:string($s/SecurityType[1])}</SecurityType>
      <Sector>{fn:string(($s/SecurityInformation/*/Sector)[1])}</Sector><PE>{fn:string($s/PE[1])}</PE><Yield>{fn:string($s/Yield[1])}</Yield>
    </Security>'
    PASSING sdoc AS "d") AS VARCHAR(2000) EXCLUDING XMLDECLARATION) AS doc,
    XMLCAST(XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/security";
    fn:string($d/Security/Symbol[1])'
    PASSING sdoc AS "d") AS VARCHAR(28)) AS symbol
  FROM security
  WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/security";
    $d/Security[SecurityInformation/*/Sector = $sector][(SecurityInformation/*/Sector)[1] = $sector]
      [PE[. >= $peMin and . < $peMax]][PE[1][. >= $peMin and . < $peMax]][Yield > $yieldMin][Yield[1] > $yieldMin]'
    PASSING sdoc AS "d", CAST(? AS VARCHAR(1000)) AS "sector",
      CAST(? AS DOUBLE) AS "peMin", CAST(? AS DOUBLE) AS "peMax", CAST(? AS DOUBLE) AS "yieldMin")
) AS a
WHERE a.symbol > CAST(? AS VARCHAR(28))
ORDER BY a.symbol
FETCH FIRST 1001 ROWS ONLY
