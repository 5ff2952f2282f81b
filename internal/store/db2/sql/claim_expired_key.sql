-- claim_key where the answer that is kept has expired.
UPDATE answers SET hash = CAST(? AS VARCHAR(64)), expires = CAST(? AS BIGINT) WHERE id = CAST(? AS VARCHAR(64)) AND expires <= CAST(? AS BIGINT)
