-- What is known of an idempotency key. Currently committed semantics: a key that is being claimed is not seen, nor waited for.
-- Manual: Currently committed semantics.
SELECT hash, expires FROM answers WHERE id = CAST(? AS VARCHAR(64))
