-- update_security_price (U3): one UPDATE; today's high and low follow. Ask and Bid are empty where they stay; fn:string also
-- where an empty string is NULL (DB2_COMPATIBILITY_VECTOR). A high that
-- is no decimal (a security need not be valid) gives way. Compared as decimals: stored nodes are untyped, and untyped
-- arithmetic would be in doubles.
-- That all five parts are there is asked for in XMLEXISTS: a replace expression needs exactly one node (SQL16085N). The
-- answer is get_security_price, read in the same transaction.
-- Index: security_symbol.
-- Manual: Transform expression; Use of updating expressions in a transform expression; Replace expression; Castable
-- expressions; XMLEXISTS predicate usage.
UPDATE security
SET sdoc = XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/security";
    copy $n := $d
    modify
      for $p in $n/Security/Price[1]
      let $high := $p/PriceToday[1]/High[1], $low := $p/PriceToday[1]/Low[1]
      return (
        do replace value of $p/LastTrade[1] with $last,
        if (fn:string($ask) = "") then () else do replace value of $p/Ask[1] with $ask,
        if (fn:string($bid) = "") then () else do replace value of $p/Bid[1] with $bid,
        if (if ($high castable as xs:decimal) then xs:decimal($last) > xs:decimal($high) else fn:true())
        then do replace value of $high with $last else (),
        if (if ($low castable as xs:decimal) then xs:decimal($last) < xs:decimal($low) else fn:true())
        then do replace value of $low with $last else ()
      )
    return $n'
    PASSING sdoc AS "d", CAST(? AS VARCHAR(40)) AS "last", CAST(? AS VARCHAR(40)) AS "ask", CAST(? AS VARCHAR(40)) AS "bid")
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/security";
    $d/Security[Symbol = $symbol][Price[1][LastTrade][Ask][Bid]/PriceToday[1][High][Low]]'
    PASSING sdoc AS "d", CAST(? AS VARCHAR(28)) AS "symbol")
