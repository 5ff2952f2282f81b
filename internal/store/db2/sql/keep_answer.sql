UPDATE answers SET answer = CAST(? AS CLOB(2M)) WHERE id = CAST(? AS VARCHAR(64))
