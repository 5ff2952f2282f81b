-- Storage of the setting "tuned": for each table a table space and a buffer pool of its own, and others for its indexes, so
-- that a scan of one does not evict the pages of another, and each has a hit ratio of its own. Names: see
-- schema_storage_box.sql.
-- Sizes are AUTOMATIC: self-tuning memory gives memory to the pool that gains most by it. It begins with 1,000 pages, or
-- with the pool's share of pool_memory, for which a percentage stands. The shares are ours: about those of the stored
-- bytes, with more for indexes.
-- Study of 2008: a table space and a pool each, 16 KB pages, sizes set first (770,000 pages), then AUTOMATIC.
-- Manual: CREATE BUFFERPOOL statement; Self-tuning memory.
CREATE BUFFERPOOL $storage_CUST IMMEDIATE SIZE $20% AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL $storage_ORD IMMEDIATE SIZE $45% AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL $storage_SEC IMMEDIATE SIZE $5% AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL $storage_CUSTX IMMEDIATE SIZE $8% AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL $storage_ORDX IMMEDIATE SIZE $20% AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL $storage_SECX IMMEDIATE SIZE $2% AUTOMATIC PAGESIZE 16 K;

-- Rows, indexes (X), and documents that are longer than a row (L). NO FILE SYSTEM CACHING is the default on most file
-- systems; it is said here because the study of 2008 did.
-- Manual: CREATE TABLESPACE statement; Table spaces without file system caching.
CREATE TABLESPACE $storage_CUST PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL $storage_CUST NO FILE SYSTEM CACHING;
CREATE TABLESPACE $storage_CUSTX PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL $storage_CUSTX NO FILE SYSTEM CACHING;
CREATE LARGE TABLESPACE $storage_CUSTL PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL $storage_CUST NO FILE SYSTEM CACHING;
CREATE TABLESPACE $storage_ORD PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL $storage_ORD NO FILE SYSTEM CACHING;
CREATE TABLESPACE $storage_ORDX PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL $storage_ORDX NO FILE SYSTEM CACHING;
CREATE LARGE TABLESPACE $storage_ORDL PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL $storage_ORD NO FILE SYSTEM CACHING;
CREATE TABLESPACE $storage_SEC PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL $storage_SEC NO FILE SYSTEM CACHING;
CREATE TABLESPACE $storage_SECX PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL $storage_SECX NO FILE SYSTEM CACHING;
CREATE LARGE TABLESPACE $storage_SECL PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL $storage_SEC NO FILE SYSTEM CACHING;
