-- What the service keeps beside the documents: plain tables. The table settings comes first,
-- because it is what the creation of the schema locks.
-- By row, since a database that was created with DB2_WORKLOAD=ANALYTICS makes tables by column otherwise (dft_table_org).
-- Nobody runs RUNSTATS on them. VOLATILE makes the optimizer use their indexes whatever the statistics say: a scan waits for
-- rows that others have locked. CREATE TABLE has no such clause. The tables of documents have RUNSTATS instead, since access
-- to a volatile table is never by list prefetch, which is how XML indexes are used.
-- Manual: CREATE TABLE statement; CREATE INDEX statement; ALTER TABLE statement (VOLATILE); dft_table_org.

-- What was loaded, and how far a load has come.
CREATE TABLE settings (
  name  VARCHAR(64) NOT NULL PRIMARY KEY,
  value VARCHAR(2000) NOT NULL
) ORGANIZE BY ROW;

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
