-- replace_customer with validate=no.
-- Index: custacc_id.
-- Manual: XMLPARSE scalar function; XMLEXISTS predicate usage.
UPDATE custacc
SET cadoc = XMLPARSE(DOCUMENT CAST(? AS CLOB(16M)) PRESERVE WHITESPACE)
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer[@id = $id]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
