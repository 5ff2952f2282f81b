-- A whole new document for a customer, validated.
-- Index: custacc_id.
-- Manual: XMLVALIDATE scalar function; XMLPARSE scalar function; XMLEXISTS predicate usage.
UPDATE custacc
SET cadoc = XMLVALIDATE(XMLPARSE(DOCUMENT CAST(? AS CLOB(16M)) PRESERVE WHITESPACE) ACCORDING TO XMLSCHEMA ID custacc)
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer[@id = $id]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
