-- With dictionary=true, after a load: rows that were stored before Db2 had a dictionary are not compressed, and the
-- dictionary knows only the first of them. This builds it from the whole table, and compresses every row and every document
-- beside its row (LONGLOBDATA). The table cannot be written meanwhile.
-- Manual: REORG INDEXES/TABLE command using the ADMIN_CMD procedure; Impact of classic table reorganization on table-level
-- compression dictionaries.
CALL SYSPROC.ADMIN_CMD('REORG TABLE "$schema"."$table" LONGLOBDATA RESETDICTIONARY')
