-- Statistics of a table and its indexes, XML included. The parameter is the command, since a table's name is no parameter:
-- RUNSTATS ON TABLE schema.table WITH DISTRIBUTION AND DETAILED INDEXES ALL.
-- Manual: RUNSTATS command using the ADMIN_CMD procedure.
CALL SYSPROC.ADMIN_CMD(CAST(? AS CLOB(2K)))
