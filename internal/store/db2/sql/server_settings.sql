-- What durability and figures depend on. Db2 flushes its log at each commit, and there is no setting that says otherwise;
-- the ones here say what survives the loss of a disk, how memory, locks and logs are managed, and whether RUNSTATS may begin by
-- itself and disturb a run (auto_runstats, if auto_maint and auto_tbl_maint are on).
-- Manual: DBCFG administrative view; Configuration parameters summary.
SELECT name, value FROM SYSIBMADM.DBCFG
WHERE dbpartitionnum = 0 AND name IN ('logarchmeth1', 'logarchmeth2', 'mirrorlogpath', 'hadr_syncmode', 'codeset', 'cur_commit',
  'self_tuning_mem', 'database_memory', 'locklist', 'logbufsz', 'logfilsiz', 'logprimary', 'logsecond', 'page_age_trgt_mcr', 'pagesize',
  'auto_maint', 'auto_tbl_maint', 'auto_runstats')
ORDER BY name
