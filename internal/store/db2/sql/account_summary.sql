-- account_summary (Q5): the accounts of a customer with what they hold and their value dates.
-- Index: custacc_id.
-- Manual: XMLQUERY scalar function; Direct element constructors; FLWOR expressions; XMLEXISTS predicate usage.
SELECT a.doc
FROM (
  SELECT XMLSERIALIZE(XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    for $c in $d/Customer
    return <Customer id="{fn:string($c/@id)}">
      {$c/Name[1]}
      <Customer_Securities>{
        for $a in $c/Accounts/Account
        return <Account ACCOUNT_ID="{fn:string($a/@id)}" BALANCE="{fn:string($a/Balance[1]/OnlineActualBal[1])}" CURRENCY="{fn:string($a/Currency[1])}">
          <Securities>{
            for $p in $a/Holdings[1]/Position
            return <Position>{$p/Symbol[1]}{$p/Name[1]}{$p/Quantity[1]}</Position>
          }</Securities>
          <Statement>{$a/gValueDate[1]/mValueDate}</Statement>
        </Account>
      }</Customer_Securities>
    </Customer>'
    PASSING cadoc AS "d") AS VARCHAR(16384) EXCLUDING XMLDECLARATION) AS doc
  FROM custacc
  WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer[@id = $id]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
) AS a
