-- delete_customer (D2).
-- Index: custacc_id.
-- Manual: DELETE statement; XMLEXISTS predicate usage.
DELETE FROM custacc
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer[@id = $id]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
