-- A tuned database, as the TPoX studies had it. It differs from box.sql in its configuration, its storage and where the tables
-- are. It is a database of its own, because configuration, logs and self-tuning memory belong to a database. Edit sizes and
-- paths, then run it as a user with SYSADM or SYSCTRL, in the folder of a checkout:
--
--   db2set DB2_USE_ALTERNATE_PAGE_CLEANING=ON    # study of 2008; then db2stop, db2start
--   db2 -s -tvf deploy/db2/tuned.sql -z tuned.out

CREATE DATABASE TPOXTUNE AUTOMATIC STORAGE YES USING CODESET UTF-8 TERRITORY US COLLATE USING IDENTITY PAGESIZE 32 K;
CONNECT TO TPOXTUNE;

-- Memory that tunes itself, a log buffer and a lock list for many short writers, and logs of 16 files of 64 MB, which are
-- allocated at once, with up to 112 more: 8 GB for what is not committed, where a new database has about 50 to 100 MB (SQL0964C).
CALL SYSPROC.ADMIN_CMD('UPDATE DATABASE CONFIGURATION USING SELF_TUNING_MEM ON DATABASE_MEMORY AUTOMATIC LOCKLIST AUTOMATIC MAXLOCKS AUTOMATIC LOGBUFSZ 4096');
CALL SYSPROC.ADMIN_CMD('UPDATE DATABASE CONFIGURATION USING NUM_IOCLEANERS AUTOMATIC NUM_IOSERVERS AUTOMATIC');
CALL SYSPROC.ADMIN_CMD('UPDATE DATABASE CONFIGURATION USING LOGFILSIZ 16384 LOGPRIMARY 16 LOGSECOND 112');

-- Statistics are collected by the load. While a run is measured, automatic RUNSTATS would disturb it.
CALL SYSPROC.ADMIN_CMD('UPDATE DATABASE CONFIGURATION USING AUTO_RUNSTATS OFF');

-- Disks of their own for logs and data; 2008: 120 disks for data, 15 for logs. The database keeps the path that it was created
-- with, and the table spaces below are spread over all paths.
-- UPDATE DATABASE CONFIGURATION FOR TPOXTUNE USING NEWLOGPATH /db2log;
-- ALTER STOGROUP IBMSTOGROUP ADD '/data1', '/data2';

SET CURRENT SCHEMA = 'TPOX';

CREATE TABLE settings (
  name  VARCHAR(64) NOT NULL PRIMARY KEY,
  value VARCHAR(2000) NOT NULL
) ORGANIZE BY ROW;

-- A buffer pool for each table and one for its indexes, so that a scan of one does not evict the pages of another, and each has
-- a hit ratio of its own. Each begins with these pages of 16 KB, 12 GB together, and self-tuning memory moves memory to the pool
-- that gains most by it; 2008: 770,000 pages, which grew to 46 of 64 GB. The shares are ours: about those of the stored bytes,
-- with more for indexes. If there is not enough memory, Db2 uses a small pool until the next activation (SQL20189W).
CREATE BUFFERPOOL TPOX_CUST IMMEDIATE SIZE 157286 AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL TPOX_ORD IMMEDIATE SIZE 353894 AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL TPOX_SEC IMMEDIATE SIZE 39321 AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL TPOX_CUSTX IMMEDIATE SIZE 62914 AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL TPOX_ORDX IMMEDIATE SIZE 157286 AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL TPOX_SECX IMMEDIATE SIZE 15728 AUTOMATIC PAGESIZE 16 K;

-- Rows, indexes (X), and documents that do not fit into a row (L). NO FILE SYSTEM CACHING is the default on most file systems,
-- and what 2008 had.
CREATE TABLESPACE TPOX_CUST PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL TPOX_CUST NO FILE SYSTEM CACHING;
CREATE TABLESPACE TPOX_CUSTX PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL TPOX_CUSTX NO FILE SYSTEM CACHING;
CREATE LARGE TABLESPACE TPOX_CUSTL PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL TPOX_CUST NO FILE SYSTEM CACHING;
CREATE TABLESPACE TPOX_ORD PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL TPOX_ORD NO FILE SYSTEM CACHING;
CREATE TABLESPACE TPOX_ORDX PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL TPOX_ORDX NO FILE SYSTEM CACHING;
CREATE LARGE TABLESPACE TPOX_ORDL PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL TPOX_ORD NO FILE SYSTEM CACHING;
CREATE TABLESPACE TPOX_SEC PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL TPOX_SEC NO FILE SYSTEM CACHING;
CREATE TABLESPACE TPOX_SECX PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL TPOX_SECX NO FILE SYSTEM CACHING;
CREATE LARGE TABLESPACE TPOX_SECL PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL TPOX_SEC NO FILE SYSTEM CACHING;

-- Temporary space with a pool of its own (2008). With pages of 4 KB alone, a sort of wide rows fails (SQL1585N).
CREATE BUFFERPOOL TPOX_TEMP IMMEDIATE SIZE AUTOMATIC PAGESIZE 32 K;
CREATE SYSTEM TEMPORARY TABLESPACE TPOX_TEMP PAGESIZE 32 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL TPOX_TEMP NO FILE SYSTEM CACHING;

ALTER TABLE settings VOLATILE CARDINALITY;

CREATE TABLE leases (
  kind    VARCHAR(16) NOT NULL PRIMARY KEY,
  next_id BIGINT NOT NULL
) ORGANIZE BY ROW;

ALTER TABLE leases VOLATILE CARDINALITY;

INSERT INTO leases (kind, next_id) VALUES ('order', 103282), ('customer', 1002), ('account', 104000000);

CREATE TABLE answers (
  id      VARCHAR(64) NOT NULL PRIMARY KEY,
  hash    VARCHAR(64) NOT NULL,
  expires BIGINT NOT NULL,
  answer  CLOB(2M)
) ORGANIZE BY ROW;

ALTER TABLE answers VOLATILE CARDINALITY;

CREATE INDEX answers_expires ON answers (expires);

CREATE TABLE loads (name VARCHAR(64)) ORGANIZE BY ROW;

CREATE TABLE schemas (
  file    VARCHAR(64) NOT NULL PRIMARY KEY,
  content BLOB(1M) NOT NULL
) ORGANIZE BY ROW;

-- COMPRESS NO measures what compression is worth, no INLINE LENGTH what inlining is.
CREATE TABLE custacc (cadoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW
  IN TPOX_CUST INDEX IN TPOX_CUSTX LONG IN TPOX_CUSTL;
CREATE TABLE orders (odoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW
  IN TPOX_ORD INDEX IN TPOX_ORDX LONG IN TPOX_ORDL;
CREATE TABLE security (sdoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW
  IN TPOX_SEC INDEX IN TPOX_SECX LONG IN TPOX_SECL;

CREATE UNIQUE INDEX custacc_id ON custacc (cadoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/custacc"; /Customer/@id' AS SQL VARCHAR(20);
CREATE UNIQUE INDEX custacc_account ON custacc (cadoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/custacc"; /Customer/Accounts/Account/@id' AS SQL VARCHAR(20);
CREATE UNIQUE INDEX orders_id ON orders (odoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://www.fixprotocol.org/FIXML-4-4"; /FIXML/Order/@ID' AS SQL VARCHAR(20);
CREATE INDEX orders_account ON orders (odoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://www.fixprotocol.org/FIXML-4-4"; /FIXML/Order/@Acct' AS SQL VARCHAR(20);
CREATE UNIQUE INDEX security_symbol ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/Symbol' AS SQL VARCHAR(28);
CREATE INDEX security_sector ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/SecurityInformation/*/Sector' AS SQL VARCHAR HASHED;
CREATE INDEX security_pe ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/PE' AS SQL DOUBLE;
CREATE INDEX security_yield ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/Yield' AS SQL DOUBLE;

-- The XML schemas, by which XMLVALIDATE validates. Db2 grants their use to PUBLIC only, and a service whose user does not own
-- them needs it.
REGISTER XMLSCHEMA 'custacc.xsd' FROM 'api/schema/custacc.xsd' AS TPOX.CUSTACC COMPLETE;
REGISTER XMLSCHEMA 'order.xsd' FROM 'api/schema/order.xsd' AS TPOX.ORDERS COMPLETE;
REGISTER XMLSCHEMA 'security.xsd' FROM 'api/schema/security.xsd' AS TPOX.SECURITY COMPLETE;

GRANT USAGE ON XSROBJECT TPOX.CUSTACC TO PUBLIC;
GRANT USAGE ON XSROBJECT TPOX.ORDERS TO PUBLIC;
GRANT USAGE ON XSROBJECT TPOX.SECURITY TO PUBLIC;

-- The identity of this database, which results name, and the version of the schema, which says that it is complete.
INSERT INTO settings (name, value) VALUES ('database.identity', LOWER(HEX(GENERATE_UNIQUE())));
INSERT INTO settings (name, value) VALUES ('schema.version', '1');

-- The configuration of the logs takes effect when the database is next activated.
CONNECT RESET;
DEACTIVATE DATABASE TPOXTUNE;
ACTIVATE DATABASE TPOXTUNE;
