-- What register_schema registers: text for the driver, bytes for the procedure.
-- Manual: BLOB scalar function.
INSERT INTO schemas (file, content) VALUES (CAST(? AS VARCHAR(64)), BLOB(CAST(? AS CLOB(1M))))
