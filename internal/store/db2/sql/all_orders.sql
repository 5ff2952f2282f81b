-- Every document, for verify.
-- Index: none, it reads the whole table.
-- Manual: XMLSERIALIZE scalar function.
SELECT OCTET_LENGTH(a.doc), a.doc
FROM (
  SELECT XMLSERIALIZE(odoc AS CLOB(1M) EXCLUDING XMLDECLARATION) AS doc
  FROM orders
) AS a
