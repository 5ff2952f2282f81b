-- A database "out of the box", as the TPoX studies compared it with a tuned one (tuned.sql): one buffer pool, one table space,
-- and Db2's defaults for the rest. Edit it, then run it as a user with SYSADM or SYSCTRL, in the folder of a
-- checkout:
--
--   db2 -s -tvf deploy/db2/box.sql -z box.out
--
-- It ends at the first error (-s), which box.out shows. docs/db2.md describes the comparison.

-- UTF-8 is required. With IDENTITY, texts are ordered by their bytes, as the order of searches is.
CREATE DATABASE TPOXBOX AUTOMATIC STORAGE YES USING CODESET UTF-8 TERRITORY US COLLATE USING IDENTITY PAGESIZE 32 K;
CONNECT TO TPOXBOX;

-- CREATE DATABASE has run the Configuration Advisor with its defaults: 25 % of the memory, 60 transactions a minute, isolation
-- RR. This tells it what TPoX is: one statement a transaction, and as many connections as the service has. 200,000 a minute is
-- the most that it takes; the study of 2008 had 405,804. Without it the database is literally out of the box.
-- CALL SYSPROC.ADMIN_CMD('AUTOCONFIGURE USING mem_percent 80 workload_type simple num_stmts 1 tpm 200000 num_remote_apps 32 isolation CS APPLY DB ONLY');

-- From here it is the schema that "brokerage migrate" creates.
SET CURRENT SCHEMA = 'TPOX';

CREATE TABLE settings (
  name  VARCHAR(64) NOT NULL PRIMARY KEY,
  value VARCHAR(2000) NOT NULL
) ORGANIZE BY ROW;

CREATE BUFFERPOOL TPOX_ALL IMMEDIATE SIZE AUTOMATIC PAGESIZE 16 K;
CREATE TABLESPACE TPOX_ALL PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL TPOX_ALL;

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

CREATE TABLE custacc (cadoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW IN TPOX_ALL;
CREATE TABLE orders (odoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW IN TPOX_ALL;
CREATE TABLE security (sdoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW IN TPOX_ALL;

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

CONNECT RESET;
