-- get_order (Q1): the order, without the FIXML around it.
-- The index's pattern /FIXML/Order/@ID holds every node that the predicate compares, and a VARCHAR index serves a comparison
-- with a VARCHAR. The comparison is inside [], or XMLEXISTS would be true of every row. The second XMLEXISTS decides: a message
-- may have another Order, whose id is in the index, and a position in the path might keep Db2 from using it.
-- A VARCHAR, because it comes with the block of rows that opens the cursor, and so does the end; a LOB takes a message for each
-- row. One that does not fit is read as a CLOB: see documents.go. FETCH FIRST 1 ROW ONLY would save nothing more, and might
-- make the optimizer prefer a scan that ends early.
-- Index: orders_id.
-- Manual: XMLEXISTS predicate usage; XMLQUERY scalar function; Constant and parameter marker passing to XMLEXISTS and
-- XMLQUERY; Guidelines for matching indexes with queries overview; XMLSERIALIZE scalar function; BlockLobs CLI/ODBC
-- configuration keyword; fetch-first-clause.
SELECT a.doc
FROM (
  SELECT XMLSERIALIZE(XMLQUERY('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    $d/FIXML/Order[1]'
    PASSING odoc AS "d") AS VARCHAR(4096) EXCLUDING XMLDECLARATION) AS doc
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
