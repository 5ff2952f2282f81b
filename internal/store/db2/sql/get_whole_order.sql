-- The whole message of an order, to find out why a change of it was refused: no transaction that succeeds reads it.
-- The second XMLEXISTS: see get_order.sql.
-- Index: orders_id.
-- Manual: XMLEXISTS predicate usage; XMLSERIALIZE scalar function.
SELECT a.doc
FROM (
  SELECT XMLSERIALIZE(odoc AS VARCHAR(4096) EXCLUDING XMLDECLARATION) AS doc
  FROM orders
  WHERE XMLEXISTS('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    $d/FIXML/Order[@ID = $id]'
    PASSING odoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
  AND XMLEXISTS('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    $d/FIXML/Order[1][@ID = $id]'
    PASSING odoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
) AS a
