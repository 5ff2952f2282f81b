-- The customer that an account belongs to.
-- Index: custacc_account.
-- Manual: XMLCAST specification; XMLEXISTS predicate usage.
SELECT XMLCAST(XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    fn:string($d/Customer/@id)'
    PASSING cadoc AS "d") AS BIGINT)
FROM custacc
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer/Accounts/Account[@id = $account]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "account")
