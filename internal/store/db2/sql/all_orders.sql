-- Every document, for verify, up to the longest that is stored.
-- Index: none, it reads the whole table.
-- Manual: XMLSERIALIZE scalar function.
SELECT OCTET_LENGTH(a.doc), a.doc
FROM (
  SELECT XMLSERIALIZE(odoc AS CLOB(16M) EXCLUDING XMLDECLARATION) AS doc
  FROM orders
) AS a
