-- The schema: what the service keeps beside the documents in plain tables, the documents, and their indexes.
-- The first three statements are committed one by one: the creation of the schema locks the table settings, and CREATE
-- BUFFERPOOL creates the pool after its commit.
--
-- By row, since a database that was created with DB2_WORKLOAD=ANALYTICS makes tables by column otherwise (dft_table_org).
-- Nobody runs RUNSTATS on the plain tables. VOLATILE makes the optimizer use their indexes whatever the statistics say: a scan waits for
-- rows that others have locked. CREATE TABLE has no such clause. The tables of documents have RUNSTATS instead, since access
-- to a volatile table is never by list prefetch, which is how XML indexes are used.
-- Manual: CREATE TABLE statement; CREATE INDEX statement; ALTER TABLE statement (VOLATILE); dft_table_org.

-- What was loaded, and how far a load has come.
CREATE TABLE settings (
  name  VARCHAR(64) NOT NULL PRIMARY KEY,
  value VARCHAR(2000) NOT NULL
) ORGANIZE BY ROW;

-- One buffer pool and one table space for everything, of 16 KB pages, so that a document stays in its row.
-- deploy/db2/tuned.sql has another design.
-- Buffer pools and table spaces belong to the database, not to a schema, and their names have at most 18 bytes. So they
-- begin with the name of the schema, or with a hash of it where it is long.
-- Manual: CREATE BUFFERPOOL statement; CREATE TABLESPACE statement; SQL and XML limits.
CREATE BUFFERPOOL $storage_ALL IMMEDIATE SIZE AUTOMATIC PAGESIZE 16 K;

CREATE TABLESPACE $storage_ALL PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL $storage_ALL;

ALTER TABLE settings VOLATILE CARDINALITY;

-- The next id that nobody has been given yet; a load moves them on.
CREATE TABLE leases (
  kind    VARCHAR(16) NOT NULL PRIMARY KEY,
  next_id BIGINT NOT NULL
) ORGANIZE BY ROW;

ALTER TABLE leases VOLATILE CARDINALITY;

INSERT INTO leases (kind, next_id) VALUES ('order', 103282), ('customer', 1002), ('account', 104000000);

-- Answers by idempotency key. The id is a hash of client and key, which are whatever bytes a client sends, and the hash is
-- one of the request; both in hexadecimal, since the driver garbles bytes bound to text. Expiry is in Unix milliseconds.
CREATE TABLE answers (
  id      VARCHAR(64) NOT NULL PRIMARY KEY,
  hash    VARCHAR(64) NOT NULL,
  expires BIGINT NOT NULL,
  answer  CLOB(2M)
) ORGANIZE BY ROW;

ALTER TABLE answers VOLATILE CARDINALITY;

CREATE INDEX answers_expires ON answers (expires);

-- Never holds a row: a load locks it as long as it lasts. An open transaction that had written something would keep the log
-- from being reused, and fill it (SQL0964C); a locked table does not.
CREATE TABLE loads (name VARCHAR(64)) ORGANIZE BY ROW;

-- The schemas as they were registered for XMLVALIDATE.
CREATE TABLE schemas (
  file    VARCHAR(64) NOT NULL PRIMARY KEY,
  content BLOB(1M) NOT NULL
) ORGANIZE BY ROW;

-- The documents, one a row. Each is inlined, that is, stays in its row, if it has at most 16,288 bytes in Db2's own form: a
-- row of a 16 KB page has at most 16,293, less the overhead of the one column (the papers' figure).
-- Manual: CREATE TABLE statement; XML base table row storage; Table page sizes; Adaptive compression.
CREATE TABLE custacc (cadoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW IN $storage_ALL;

CREATE TABLE orders (odoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW IN $storage_ALL;

CREATE TABLE security (sdoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW IN $storage_ALL;

-- The eight XML indexes. A query can use one only if it compares by the type that the index
-- has and the index holds every node that the query compares: each statement's file says which one serves it.
-- Ids are digits without leading zeros, so that as text they are equal when they are equal as numbers; INTEGER would be too
-- small for the larger scales, and BIGINT there is not. UNIQUE holds over all documents and within one.
-- Manual: CREATE INDEX statement (GENERATE KEY USING XMLPATTERN); UNIQUE keyword semantics; Data types associated with index
-- pattern expressions; Guidelines for matching indexes with queries overview.
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

-- Sectors of securities that are not validated may be of any length: HASHED takes them all, and serves equality.
CREATE INDEX security_sector ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/SecurityInformation/*/Sector' AS SQL VARCHAR HASHED;

CREATE INDEX security_pe ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/PE' AS SQL DOUBLE;

CREATE INDEX security_yield ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/Yield' AS SQL DOUBLE;
