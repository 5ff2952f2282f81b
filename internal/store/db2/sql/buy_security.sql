-- buy_security (U5), the third of four statements: one UPDATE, with all that is decided. customer_size and trade_quote
-- come before it, trade_outcome after it.
-- The first XMLEXISTS selects, by the index, as in get_customer_of_account. The second decides, in the one document found:
-- what a trade needs is there, the balances stay within their limit, margin or cover, the most holdings allowed. No row means
-- refused; the store reads the customer then, to say why. Casts come only after castable has been asked, by if: "and"
-- promises no order.
-- Balances and quantities are decimals, exact, rounded half to even by floor, and written with their places from whole
-- numbers: a decimal as text has no trailing zeros. All updating expressions see the document as it was.
-- Index: custacc_account.
-- Manual: Transform expression; Use of updating expressions in a transform expression; Replace expression; Insert expression;
-- FLWOR expressions; Castable expressions; Arithmetic expressions; XMLEXISTS predicate usage.
UPDATE custacc
SET cadoc = XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    copy $n := $d
    modify
      for $a in $n/Customer/Accounts/Account[@id = $account]
      let $b := $a/Balance[1], $v := $a/gValueDate[1]/mValueDate[1], $p := $a/Holdings[1]/Position[Symbol = $symbol][1],
        (: in cents :)
        $onlineX := (xs:decimal($b/OnlineActualBal[1]) + xs:decimal($movement)) * 100, $onlineF := fn:floor($onlineX),
        $onlineN := xs:integer(if ($onlineX - $onlineF > 0.5 or ($onlineX - $onlineF = 0.5 and $onlineF mod 2 != 0)) then $onlineF + 1 else $onlineF),
        $onlineA := if ($onlineN < 0) then -$onlineN else $onlineN,
        $online := fn:concat(if ($onlineN < 0) then "-" else "", fn:string($onlineA idiv 100), ".", fn:substring(fn:string(100 + $onlineA mod 100), 2)),
        (: in cents :)
        $workingX := (xs:decimal($b/WorkingBalance[1]) + xs:decimal($movement)) * 100, $workingF := fn:floor($workingX),
        $workingN := xs:integer(if ($workingX - $workingF > 0.5 or ($workingX - $workingF = 0.5 and $workingF mod 2 != 0)) then $workingF + 1 else $workingF),
        $workingA := if ($workingN < 0) then -$workingN else $workingN,
        $working := fn:concat(if ($workingN < 0) then "-" else "", fn:string($workingA idiv 100), ".", fn:substring(fn:string(100 + $workingA mod 100), 2)),
        (: in thousandths of a share :)
        $heldX := ((if ($p) then xs:decimal($p/Quantity[1]) else 0.0) + xs:decimal($quantity)) * 1000, $heldF := fn:floor($heldX),
        $heldN := xs:integer(if ($heldX - $heldF > 0.5 or ($heldX - $heldF = 0.5 and $heldF mod 2 != 0)) then $heldF + 1 else $heldF),
        $heldA := if ($heldN < 0) then -$heldN else $heldN,
        $held := fn:concat(if ($heldN < 0) then "-" else "", fn:string($heldA idiv 1000), ".", fn:substring(fn:string(1000 + $heldA mod 1000), 2))
      return (
        do replace value of $a/LastUpdate[1] with $now,
        do replace value of $b/OnlineActualBal[1] with $online,
        do replace value of $b/WorkingBalance[1] with $working,
        do replace value of $v/ValueDate[1] with $today,
        do replace value of $v/CreditMovement[1] with $movement,
        do replace value of $v/ValueDatedBal[1] with $working,
        if ($p) then do replace value of $p/Quantity[1] with $held
        else do insert <Position><Symbol>{$symbol}</Symbol><Name>{$name}</Name><Type>{$type}</Type><Quantity>{$held}</Quantity></Position>
          as last into $a/Holdings[1]
      )
    return $n'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "account", CAST(? AS VARCHAR(28)) AS "symbol",
      CAST(? AS VARCHAR(40)) AS "quantity", CAST(? AS VARCHAR(40)) AS "movement",
      CAST(? AS VARCHAR(40)) AS "now", CAST(? AS VARCHAR(20)) AS "today",
      CAST(? AS VARCHAR(4000)) AS "name", CAST(? AS VARCHAR(1000)) AS "type")
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer/Accounts/Account[@id = $account]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "account")
AND XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    for $a in $d/Customer/Accounts/Account[@id = $account]
    let $b := $a/Balance[1], $v := $a/gValueDate[1]/mValueDate[1], $p := $a/Holdings[1]/Position[Symbol = $symbol][1]
    return
      if ($a/LastUpdate and $a/Holdings and $v/ValueDate and $v/CreditMovement and $v/ValueDatedBal
        and $b/OnlineActualBal[1] castable as xs:decimal and $b/WorkingBalance[1] castable as xs:decimal
        and (if ($p) then $p/Quantity[1] castable as xs:decimal else fn:true()))
      then
        let $online := xs:decimal($b/OnlineActualBal[1]) + xs:decimal($movement),
            $working := xs:decimal($b/WorkingBalance[1]) + xs:decimal($movement)
        where $online >= -10000000000000 and $online <= 10000000000000
          and $working >= -10000000000000 and $working <= 10000000000000
          and ($covered = "no" or $working >= 0)
          and (if ($p) then xs:decimal($p/Quantity[1]) + xs:decimal($quantity) < 9200000000000000
            else fn:count($a/Holdings[1]/Position) < $most)
        return $a
      else ()'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "account", CAST(? AS VARCHAR(28)) AS "symbol",
      CAST(? AS VARCHAR(40)) AS "quantity", CAST(? AS VARCHAR(40)) AS "movement",
      CAST(? AS VARCHAR(3)) AS "covered", CAST(? AS INTEGER) AS "most")
