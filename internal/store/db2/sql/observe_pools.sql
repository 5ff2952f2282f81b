-- count_pages by buffer pool, without those that nobody has used.
-- Manual: MON_GET_BUFFERPOOL table function; Formulas for calculating buffer pool hit ratios.
SELECT
  CAST(bp_name AS VARCHAR(128)),
  CAST(SUM(pool_data_l_reads + pool_temp_data_l_reads + pool_index_l_reads + pool_temp_index_l_reads
    + pool_xda_l_reads + pool_temp_xda_l_reads) AS BIGINT),
  CAST(SUM(pool_data_p_reads + pool_temp_data_p_reads + pool_index_p_reads + pool_temp_index_p_reads
    + pool_xda_p_reads + pool_temp_xda_p_reads
    - pool_async_data_reads - pool_async_index_reads - pool_async_xda_reads) AS BIGINT)
FROM TABLE(SYSPROC.MON_GET_BUFFERPOOL(CAST(NULL AS VARCHAR(128)), -2)) AS t
GROUP BY bp_name
HAVING SUM(pool_data_l_reads + pool_index_l_reads + pool_xda_l_reads) > 0
ORDER BY 1
