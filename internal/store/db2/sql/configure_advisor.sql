-- With autoconfigure=PERCENT, instead of configure_box.sql: what the Configuration Advisor has to know of TPoX. One
-- statement a transaction; 200,000 a minute is the most that it takes (the study of 2008 had 405,804); connections are
-- those of the service's pool.
-- Manual: AUTOCONFIGURE command using the ADMIN_CMD procedure.
CALL SYSPROC.ADMIN_CMD('AUTOCONFIGURE USING mem_percent $percent workload_type simple num_stmts 1 tpm 200000 num_local_apps 0 num_remote_apps $connections isolation CS bp_resizeable yes APPLY DB ONLY');
