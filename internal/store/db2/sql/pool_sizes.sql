-- Sizes of the buffer pools, in pages, over all members. With settle=DURATION, a load test waits after its warm-up until
-- none has changed by more than 5 % for 3 minutes. Study of 2009: 30 minutes of ramp-up.
-- Manual: MON_GET_BUFFERPOOL table function; bp_cur_buffsz monitor element.
SELECT CAST(bp_name AS VARCHAR(128)), CAST(SUM(bp_cur_buffsz) AS BIGINT)
FROM TABLE(SYSPROC.MON_GET_BUFFERPOOL(CAST(NULL AS VARCHAR(128)), -2)) AS t
GROUP BY bp_name
