-- Statistics of a table and its indexes, XML included. The store puts the names in: a CALL with a marker makes the client
-- library look the procedure up in the catalogue first. With statistics_sample=PERCENT, only that part of the pages is read:
-- the study of 2006 spent 340 minutes on RUNSTATS.
-- Manual: RUNSTATS command using the ADMIN_CMD procedure; Minimizing RUNSTATS impact.
CALL SYSPROC.ADMIN_CMD('RUNSTATS ON TABLE "$schema"."$table" WITH DISTRIBUTION AND SAMPLED DETAILED INDEXES ALL$sample')
