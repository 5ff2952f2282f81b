-- Locks a security for a replacement that depends on the version: see lock_customer.sql.
-- Index: security_symbol.
-- Manual: lock-request-clause; isolation-clause; XMLEXISTS predicate usage.
SELECT 1 FROM security
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/security";
    $d/Security[Symbol = $symbol]'
    PASSING sdoc AS "d", CAST(? AS VARCHAR(28)) AS "symbol")
WITH RS USE AND KEEP UPDATE LOCKS
