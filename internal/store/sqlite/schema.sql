-- Documents, compressed, beside the keys that they are found by. Keys are
-- written in the transaction of their document, always.

CREATE TABLE orders (
  id      INTEGER PRIMARY KEY,
  account INTEGER NOT NULL,
  cash    BLOB,             -- sorts as the decimal in OrdQty/@Cash; NULL where that is none
  doc     BLOB NOT NULL
) STRICT;

-- customer_max_order: for each account the greatest cash, then the lowest id.
CREATE INDEX orders_cash ON orders (account, cash DESC, id) WHERE cash IS NOT NULL;

CREATE TABLE customers (
  id  INTEGER PRIMARY KEY,
  doc BLOB NOT NULL
) STRICT;

-- An account belongs to one customer: that is what the primary key says.
CREATE TABLE accounts (
  id       INTEGER PRIMARY KEY,
  customer INTEGER NOT NULL
) STRICT;

CREATE INDEX accounts_customer ON accounts (customer);

CREATE TABLE securities (
  id         INTEGER PRIMARY KEY,
  symbol     TEXT NOT NULL,
  name       TEXT NOT NULL,
  type       TEXT NOT NULL,
  sector     TEXT NOT NULL,
  pe         INTEGER NOT NULL, -- in ten-thousandths, to compare
  yield      INTEGER NOT NULL,
  pe_text    TEXT NOT NULL,    -- as it stands in the document, to answer
  yield_text TEXT NOT NULL,
  last_trade TEXT NOT NULL,    -- what trades are done at
  price      BLOB NOT NULL,    -- the answer of get_security_price, a twentieth of the document
  doc        BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX securities_symbol ON securities (symbol);

-- search_securities is answered from this index alone.
CREATE INDEX securities_search ON securities (sector, pe, yield, symbol, name, type, pe_text, yield_text);

-- The dictionary of each kind. There is one a kind, for good: a document
-- is of no use without the dictionary that it was compressed with.
CREATE TABLE dictionaries (
  kind TEXT PRIMARY KEY,
  body BLOB NOT NULL
) STRICT;

-- What was loaded, how far a load has come, and the stamp of the database.
CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

INSERT INTO settings (name, value) VALUES ('schema.version', '1'), ('database.identity', lower(hex(randomblob(16))));

-- The next id that nobody has been given yet.
CREATE TABLE leases (
  kind TEXT PRIMARY KEY,
  next INTEGER NOT NULL
) STRICT;

CREATE TABLE answers (
  client  TEXT NOT NULL,
  key     TEXT NOT NULL,
  hash    BLOB NOT NULL,
  answer  BLOB NOT NULL,
  expires INTEGER NOT NULL, -- Unix time
  PRIMARY KEY (client, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX answers_expires ON answers (expires);

-- Where the ids of generated documents begin; a load moves them on.
INSERT INTO leases (kind, next) VALUES ('order', 103282), ('customer', 1002), ('account', 104000000);
