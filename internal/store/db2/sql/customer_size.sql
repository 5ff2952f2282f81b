-- The size of the customer of an account in bytes, with an update lock until the commit: what a trade or a new account adds
-- may be more than a customer can have. A lock clause needs RS or RR.
-- The index has /Customer/Accounts/Account/@id as VARCHAR, and @id is compared with a VARCHAR.
-- Index: custacc_account.
-- Manual: lock-request-clause; isolation-clause; XMLEXISTS predicate usage; XMLSERIALIZE scalar function.
SELECT OCTET_LENGTH(XMLSERIALIZE(cadoc AS CLOB(16M) EXCLUDING XMLDECLARATION))
FROM custacc
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer/Accounts/Account[@id = $account]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "account")
WITH RS USE AND KEEP UPDATE LOCKS
