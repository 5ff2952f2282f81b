-- Claims an idempotency key: the row locks out the same key until this transaction ends (SQLSTATE 23505 after its commit).
INSERT INTO answers (id, hash, expires) VALUES (CAST(? AS VARCHAR(64)), CAST(? AS VARCHAR(64)), CAST(? AS BIGINT))
