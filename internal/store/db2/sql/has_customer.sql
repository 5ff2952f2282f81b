-- Whether there is a customer.
-- Index: custacc_id.
-- Manual: XMLEXISTS predicate usage.
SELECT 1 FROM custacc
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer[@id = $id]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
