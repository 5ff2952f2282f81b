-- insert_customer (I2): validated by the schema registered as CUSTACC. The unique indexes custacc_id and custacc_account
-- refuse ids that exist (SQLSTATE 23505); a document that is not valid is SQLSTATE 2200M.
-- Manual: XMLVALIDATE scalar function; XMLPARSE scalar function; CREATE INDEX statement (UNIQUE).
INSERT INTO custacc (cadoc)
VALUES (XMLVALIDATE(XMLPARSE(DOCUMENT CAST(? AS CLOB(16M)) PRESERVE WHITESPACE) ACCORDING TO XMLSCHEMA ID custacc))
