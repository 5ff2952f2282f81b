-- The setting "tuned": memory that tunes itself, and a log buffer and lock list for many short writers. Requires SYSADM, as
-- configure_box.sql does.
-- The study of 2008 also had alternate page cleaning, a registry variable that no statement sets. In the shell of the
-- instance's owner: db2set DB2_USE_ALTERNATE_PAGE_CLEANING=ON, then db2stop and db2start.
-- Manual: UPDATE DATABASE CONFIGURATION command using the ADMIN_CMD procedure; Self-tuning memory; Proactive page cleaning;
-- Configuration parameters summary.
CALL SYSPROC.ADMIN_CMD('UPDATE DATABASE CONFIGURATION USING SELF_TUNING_MEM ON DATABASE_MEMORY AUTOMATIC LOCKLIST AUTOMATIC MAXLOCKS AUTOMATIC LOGBUFSZ 4096 NUM_IOCLEANERS AUTOMATIC NUM_IOSERVERS AUTOMATIC');

-- Logs: 16 files of 64 MB, which are allocated at once, and up to 112 more when they are needed: 8 GB for what is not
-- committed, instead of about 50 to 100 MB (SQL0964C). LOGBUFSZ, LOGFILSIZ and LOGPRIMARY take effect when the database is next
-- activated, LOGSECOND at once.
-- Manual: logfilsiz, logprimary, logsecond, logbufsz configuration parameters.
CALL SYSPROC.ADMIN_CMD('UPDATE DATABASE CONFIGURATION USING LOGFILSIZ 16384 LOGPRIMARY 16 LOGSECOND 112');
