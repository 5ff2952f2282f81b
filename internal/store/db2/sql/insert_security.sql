-- A security of a dataset: only a load inserts them.
-- Manual: XMLPARSE scalar function.
INSERT INTO security (sdoc)
VALUES (XMLPARSE(DOCUMENT CAST(? AS CLOB(16M)) PRESERVE WHITESPACE))
