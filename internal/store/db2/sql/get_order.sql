-- get_order (Q1): the order, without the FIXML around it.
-- The index's pattern /FIXML/Order/@ID holds every node that the predicate compares, and a VARCHAR index serves a comparison
-- with a VARCHAR. The comparison is inside [], or XMLEXISTS would be true of every row.
-- The length comes from the server, since the driver cuts a longer value in silence (see driver.go).
-- Index: orders_id.
-- Manual: XMLEXISTS predicate usage; XMLQUERY scalar function; Constant and parameter marker passing to XMLEXISTS and
-- XMLQUERY; Guidelines for matching indexes with queries overview; XMLSERIALIZE scalar function.
SELECT OCTET_LENGTH(a.doc), a.doc
FROM (
  SELECT XMLSERIALIZE(XMLQUERY('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    $d/FIXML/Order[@ID = $id]'
    PASSING odoc AS "d", CAST(? AS VARCHAR(20)) AS "id") AS CLOB(4K) EXCLUDING XMLDECLARATION) AS doc
  FROM orders
  WHERE XMLEXISTS('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    $d/FIXML/Order[@ID = $id]'
    PASSING odoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
) AS a
