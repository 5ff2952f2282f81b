-- Statistics of a table and its indexes, XML included. The store puts the names in: a CALL with a marker makes the client
-- library look the procedure up in the catalogue first.
-- Manual: RUNSTATS command using the ADMIN_CMD procedure.
CALL SYSPROC.ADMIN_CMD('RUNSTATS ON TABLE "$schema"."$table" WITH DISTRIBUTION AND SAMPLED DETAILED INDEXES ALL')
