-- What a trade has done: the last of the four statements of buy_security and sell_security, in their transaction, where
-- the customer is locked.
-- Index: custacc_account.
-- Manual: XMLQUERY scalar function; Direct element constructors; XMLEXISTS predicate usage.
SELECT a.doc
FROM (
  SELECT XMLSERIALIZE(XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    for $a in $d/Customer/Accounts/Account[@id = $account]
    return <Trade_Confirmation ACCOUNT_ID="{$account}">
      <Side>{$side}</Side><Symbol>{$symbol}</Symbol><Quantity>{$quantity}</Quantity><Price>{$price}</Price><Amount>{$amount}</Amount>
      <Position>{if ($all = "yes") then "0.000" else fn:string($a/Holdings[1]/Position[Symbol = $symbol][1]/Quantity[1])}</Position>
      <OnlineActualBal>{fn:string($a/Balance[1]/OnlineActualBal[1])}</OnlineActualBal>
      <WorkingBalance>{fn:string($a/Balance[1]/WorkingBalance[1])}</WorkingBalance>
    </Trade_Confirmation>'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "account", CAST(? AS VARCHAR(4)) AS "side",
      CAST(? AS VARCHAR(28)) AS "symbol", CAST(? AS VARCHAR(40)) AS "quantity", CAST(? AS VARCHAR(100)) AS "price",
      CAST(? AS VARCHAR(40)) AS "amount", CAST(? AS VARCHAR(3)) AS "all") AS VARCHAR(2048) EXCLUDING XMLDECLARATION) AS doc
  FROM custacc
  WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer/Accounts/Account[@id = $account]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "account")
) AS a
