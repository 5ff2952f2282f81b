-- get_security_price (Q6): also what update_security_price answers, read in its transaction.
-- Index: security_symbol.
-- Manual: XMLQUERY scalar function; Direct element constructors; FLWOR expressions; XMLEXISTS predicate usage.
SELECT a.doc
FROM (
  SELECT XMLSERIALIZE(XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/security";
    for $s in $d/Security
    let $p := $s/Price[1]
    return <Security_Price SYMBOL="{fn:string($s/Symbol[1])}">
      {$s/Name[1]}{$p/LastTrade[1]}{$p/Ask[1]}{$p/Bid[1]}{$p/PriceToday[1]/Open[1]}
    </Security_Price>'
    PASSING sdoc AS "d") AS VARCHAR(2048) EXCLUDING XMLDECLARATION) AS doc
  FROM security
  WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/security";
    $d/Security[Symbol = $symbol]'
    PASSING sdoc AS "d", CAST(? AS VARCHAR(28)) AS "symbol")
) AS a
