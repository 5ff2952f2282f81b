-- What the database counts over all members, for all clients. Times are in milliseconds, processor time in microseconds.
-- Manual: MON_GET_DATABASE table function.
SELECT
  CAST(SUM(total_app_commits) AS BIGINT), CAST(SUM(total_app_rollbacks) AS BIGINT), CAST(SUM(total_cpu_time) AS BIGINT),
  CAST(SUM(lock_waits) AS BIGINT), CAST(SUM(lock_wait_time) AS BIGINT), CAST(SUM(deadlocks) AS BIGINT),
  CAST(SUM(pool_read_time) AS BIGINT), CAST(SUM(pool_write_time) AS BIGINT),
  CAST(SUM(log_disk_waits_total) AS BIGINT), CAST(SUM(log_disk_wait_time) AS BIGINT),
  CAST(SUM(pool_data_p_reads + pool_index_p_reads + pool_xda_p_reads) AS BIGINT),
  CAST(SUM(pool_data_writes + pool_index_writes + pool_xda_writes) AS BIGINT),
  CAST(SUM(appls_cur_cons) AS BIGINT), CAST(SUM(appls_in_db2) AS BIGINT), CAST(SUM(num_locks_waiting) AS BIGINT)
FROM TABLE(SYSPROC.MON_GET_DATABASE(-2)) AS t
