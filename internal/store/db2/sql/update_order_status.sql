-- update_order_status (U4): one UPDATE; the whole order is validated.
-- The second XMLEXISTS: see get_order.sql.
-- Index: orders_id.
-- Manual: Transform expression; Use of updating expressions in a transform expression; Replace expression; Insert
-- expression; XMLVALIDATE scalar function; XMLEXISTS predicate usage.
UPDATE orders
SET odoc = XMLVALIDATE(XMLQUERY('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    copy $n := $d
    modify
      if ($n/FIXML/Order[1]/@Stat)
      then do replace value of $n/FIXML/Order[1]/@Stat with $stat
      else do insert attribute Stat {$stat} into $n/FIXML/Order[1]
    return $n'
    PASSING odoc AS "d", CAST(? AS VARCHAR(100)) AS "stat")
  ACCORDING TO XMLSCHEMA ID orders)
WHERE XMLEXISTS('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    $d/FIXML/Order[@ID = $id]'
    PASSING odoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
AND XMLEXISTS('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    $d/FIXML/Order[1][@ID = $id]'
    PASSING odoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
