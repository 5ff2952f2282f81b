-- insert_order (I1): not validated. The unique index orders_id refuses an id that exists (SQLSTATE 23505).
-- White space is preserved, because stripping would change mixed content.
-- Manual: XMLPARSE scalar function; CREATE INDEX statement (UNIQUE).
INSERT INTO orders (odoc)
VALUES (XMLPARSE(DOCUMENT CAST(? AS CLOB(16M)) PRESERVE WHITESPACE))
