-- delete_order (D1).
-- The second XMLEXISTS: see get_order.sql.
-- Index: orders_id.
-- Manual: DELETE statement; XMLEXISTS predicate usage.
DELETE FROM orders
WHERE XMLEXISTS('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    $d/FIXML/Order[@ID = $id]'
    PASSING odoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
AND XMLEXISTS('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    $d/FIXML/Order[1][@ID = $id]'
    PASSING odoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
