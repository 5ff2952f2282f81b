-- The setting "tuned": memory that tunes itself, and a log buffer and lock list for many short writers. Wants SYSADM, as
-- configure_box.sql does.
-- Manual: UPDATE DATABASE CONFIGURATION command using the ADMIN_CMD procedure; Self-tuning memory; Configuration parameters
-- summary.
CALL SYSPROC.ADMIN_CMD('UPDATE DATABASE CONFIGURATION USING SELF_TUNING_MEM ON DATABASE_MEMORY AUTOMATIC LOCKLIST AUTOMATIC MAXLOCKS AUTOMATIC LOGBUFSZ 4096 NUM_IOCLEANERS AUTOMATIC NUM_IOSERVERS AUTOMATIC');
