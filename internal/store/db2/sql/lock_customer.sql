-- Locks a customer for a replacement that depends on the version, so that only one of two clients with the same version
-- replaces it. The document is read afterwards, so it is plain which row is locked. A lock clause needs RS or RR.
-- Index: custacc_id.
-- Manual: lock-request-clause; isolation-clause; XMLEXISTS predicate usage.
SELECT 1 FROM custacc
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer[@id = $id]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
WITH RS USE AND KEEP UPDATE LOCKS
