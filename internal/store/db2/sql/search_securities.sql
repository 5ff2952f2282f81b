-- search_securities (Q4): a row for each hit, in order of symbols, with the text of six
-- elements; the store puts them into one element and counts them.
-- Rows of VARCHAR come many at a time, where one CLOB of all hits would have no bound; the papers' query gave rows, too.
-- Of the indexes, that of sectors is HASHED, which serves equality of strings, and its pattern has the same wildcard; the
-- others are DOUBLE, and compared with a DOUBLE. PE is compared by the self axis, [. >= a and . < b], so that one scan of
-- the index from a to b serves both sides. Figures have at most 13 digits, which a double tells apart.
-- Sector, PE and Yield are compared twice: the index has each one of a security, and the first is the one that counts. All
-- are numbers (SecurityKeysOf refuses others), because a comparison with a text that is none ends the query (SQL16061N).
-- Index: security_sector, security_pe, security_yield.
-- Manual: Data type of literals; XMLEXISTS predicate usage; Guidelines for matching indexes with queries overview;
-- XMLCAST specification; Direct element constructors.
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
ORDER BY a.symbol
