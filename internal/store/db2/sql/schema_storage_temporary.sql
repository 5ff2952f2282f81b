-- With temporary=true: a temporary table space of 32 KB pages with a buffer pool of its own. Db2 chooses among temporary
-- table spaces by page size; with pages of 4 KB alone, a sort of wide rows fails (SQL1585N).
-- Study of 2008: temporary space with a pool of its own.
-- Manual: CREATE TABLESPACE statement; Table spaces for system, user and temporary data.
CREATE BUFFERPOOL $storage_TEMP IMMEDIATE SIZE AUTOMATIC PAGESIZE 32 K;

CREATE SYSTEM TEMPORARY TABLESPACE $storage_TEMP PAGESIZE 32 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL $storage_TEMP NO FILE SYSTEM CACHING;
