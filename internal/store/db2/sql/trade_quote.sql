-- What a trade needs of its security: the second of the four statements of buy_security and sell_security. It is
-- not part of their UPDATE, because the price is needed twice there and once in the confirmation, and must be the same:
-- WITH RS keeps the row from changing until the commit, so that a trade is done at the price of its turn.
-- XMLCAST refuses a text that is longer than its type (SQL16061N). A character has at most four bytes.
-- Index: security_symbol.
-- Manual: isolation-clause; XMLCAST specification; XMLEXISTS predicate usage.
SELECT
  XMLCAST(XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/security";
    fn:string($d/Security/Price[1]/LastTrade[1])'
    PASSING sdoc AS "d") AS VARCHAR(100)),
  XMLCAST(XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/security";
    fn:substring(fn:string($d/Security/Name[1]), 1, 1000)'
    PASSING sdoc AS "d") AS VARCHAR(4000)),
  XMLCAST(XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/security";
    fn:substring(fn:string($d/Security/SecurityType[1]), 1, 250)'
    PASSING sdoc AS "d") AS VARCHAR(1000))
FROM security
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/security";
    $d/Security[Symbol = $symbol]'
    PASSING sdoc AS "d", CAST(? AS VARCHAR(28)) AS "symbol")
WITH RS
