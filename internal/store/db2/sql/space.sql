-- What the tables take, in kilobytes: rows with what is inlined, long documents (XML), and indexes, which Db2 measures for
-- all of a table together.
-- Manual: ADMIN_GET_TAB_INFO table function.
SELECT tabname,
  CAST(SUM(data_object_p_size + long_object_p_size + lob_object_p_size + xml_object_p_size) AS BIGINT),
  CAST(SUM(index_object_p_size) AS BIGINT)
FROM TABLE(SYSPROC.ADMIN_GET_TAB_INFO(CURRENT SCHEMA, CAST(NULL AS VARCHAR(128)))) AS t
WHERE tabname IN ('CUSTACC', 'ORDERS', 'SECURITY', 'SETTINGS', 'LEASES', 'ANSWERS')
GROUP BY tabname
