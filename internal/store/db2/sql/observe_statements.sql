-- The statements in the package cache, over all members; milliseconds, all executions together.
-- Manual: MON_GET_PKG_CACHE_STMT table function.
SELECT
  CAST(SUBSTR(stmt_text, 1, 16000) AS VARCHAR(16000)), CAST(num_executions AS BIGINT), CAST(stmt_exec_time AS BIGINT),
  CAST(rows_returned AS BIGINT)
FROM TABLE(SYSPROC.MON_GET_PKG_CACHE_STMT('D', CAST(NULL AS VARCHAR(32) FOR BIT DATA), CAST(NULL AS CLOB(8K)), -2)) AS t
WHERE num_executions > 0
