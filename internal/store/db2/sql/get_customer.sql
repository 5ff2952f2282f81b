-- get_customer: the whole document.
-- The index has /Customer/@id as VARCHAR, and @id is compared with a VARCHAR.
-- Index: custacc_id.
-- Manual: XMLEXISTS predicate usage; Guidelines for matching indexes with queries overview; XMLSERIALIZE scalar function.
SELECT a.doc
FROM (
  SELECT XMLSERIALIZE(cadoc AS VARCHAR(32672) EXCLUDING XMLDECLARATION) AS doc
  FROM custacc
  WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer[@id = $id]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
) AS a
