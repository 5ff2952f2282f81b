-- insert_customer with validate=no, for figures that stand beside those of the papers: see insert_customer.sql.
-- Manual: XMLPARSE scalar function; CREATE INDEX statement (UNIQUE).
INSERT INTO custacc (cadoc)
VALUES (XMLPARSE(DOCUMENT CAST(? AS CLOB(16M)) PRESERVE WHITESPACE))
