-- The whole customer, for a replacement that depends on the version: get_customer with an update lock, so that of two
-- who hold one version one replaces it. A lock clause needs RS or RR.
-- Index: custacc_id.
-- Manual: lock-request-clause; isolation-clause; XMLEXISTS predicate usage.
SELECT a.doc
FROM (
  SELECT XMLSERIALIZE(cadoc AS VARCHAR(32672) EXCLUDING XMLDECLARATION) AS doc
  FROM custacc
  WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer[@id = $id]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
) AS a
WITH RS USE AND KEEP UPDATE LOCKS
