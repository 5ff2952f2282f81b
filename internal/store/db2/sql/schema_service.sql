-- What the service keeps beside the documents: plain tables, the same in both settings. The table settings comes first,
-- because it is what a migration locks.
-- Manual: CREATE TABLE statement; CREATE INDEX statement.

-- What was loaded, and how far a load has come.
CREATE TABLE settings (
  name  VARCHAR(64) NOT NULL PRIMARY KEY,
  value VARCHAR(2000) NOT NULL
);

-- The next id that nobody has been given yet; a load moves them on.
CREATE TABLE leases (
  kind    VARCHAR(16) NOT NULL PRIMARY KEY,
  next_id BIGINT NOT NULL
);

INSERT INTO leases (kind, next_id) VALUES ('order', 103282), ('customer', 1002), ('account', 104000000);

-- Answers by idempotency key. The id is a hash of client and key, which are whatever bytes a client sends, and the hash is
-- one of the request; both in hexadecimal, since the driver garbles bytes bound to text. Expiry is in Unix milliseconds.
CREATE TABLE answers (
  id      VARCHAR(64) NOT NULL PRIMARY KEY,
  hash    VARCHAR(64) NOT NULL,
  expires BIGINT NOT NULL,
  answer  CLOB(2M)
);

CREATE INDEX answers_expires ON answers (expires);

-- Never holds a row: a load locks it as long as it lasts. An open transaction that had written something would keep the log
-- from being reused, and fill it (SQL0964C); a locked table does not.
CREATE TABLE loads (name VARCHAR(64));

-- The schemas as they were registered for XMLVALIDATE.
CREATE TABLE schemas (
  file    VARCHAR(64) NOT NULL PRIMARY KEY,
  content BLOB(1M) NOT NULL
);
