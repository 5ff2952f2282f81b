-- The answer that is kept. Its length is that of the column, since a CAST cuts with no more than a warning.
-- Manual: CAST specification.
SELECT OCTET_LENGTH(answer), CAST(answer AS CLOB(4K)) AS doc FROM answers WHERE id = CAST(? AS VARCHAR(64))
