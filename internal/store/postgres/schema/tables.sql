-- One set of tables, for a server and for a cluster. A document stands at its own id, in columns that the service writes:
-- a CHECK ties the id to the document, and verify compares everything else with it. What finds documents by other keys
-- are tables of their own, written in the transaction of the document.

-- The owner of a database may have made the schema for a role that has no right to make one.
DO $$ BEGIN IF to_regnamespace('brokerage') IS NULL THEN CREATE SCHEMA brokerage; END IF; END $$;


-- Documents ------------------------------------------------------------------

-- What changes again and again (prices, accounts that are traded on) finds room in its page, so that no index has to
-- follow, and is vacuumed before it piles up.

CREATE TABLE brokerage.customers (
  id       bigint CONSTRAINT customers_id PRIMARY KEY,
  accounts bigint[] NOT NULL, -- in the order of the document
  doc      xml NOT NULL,
  CONSTRAINT customers_own_id CHECK (
    (xpath('/c:Customer/@id', doc, '{{c,http://tpox-benchmark.com/custacc}}'))[1]::text IS NOT DISTINCT FROM id::text)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02);

CREATE TABLE brokerage.orders (
  id      bigint CONSTRAINT orders_id PRIMARY KEY,
  account bigint NOT NULL,
  doc     xml NOT NULL,
  CONSTRAINT orders_own_id CHECK (
    (xpath('/f:FIXML/f:Order[1]/@ID', doc, '{{f,http://www.fixprotocol.org/FIXML-4-4}}'))[1]::text IS NOT DISTINCT FROM id::text)
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE brokerage.securities (
  symbol text CONSTRAINT securities_symbol PRIMARY KEY,
  doc    xml NOT NULL,
  CONSTRAINT securities_own_symbol CHECK ( -- xpath writes a text as XML does
    (xpath('string(/s:Security/s:Symbol)', doc, '{{s,http://tpox-benchmark.com/security}}'))[1]::text
    = replace(replace(replace(symbol, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02);

-- Customers and securities are compressed and kept beside their rows, which stay small; orders are below 2 kB, where
-- PostgreSQL does not compress. lz4 takes some more room than pglz and half the time, where the server has it.
DO $$
BEGIN
  ALTER TABLE brokerage.customers ALTER COLUMN doc SET COMPRESSION lz4;
  ALTER TABLE brokerage.securities ALTER COLUMN doc SET COMPRESSION lz4;
  ALTER TABLE brokerage.orders ALTER COLUMN doc SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
  RAISE NOTICE 'this server has no lz4: documents are compressed by pglz';
END $$;


-- What finds documents -------------------------------------------------------

-- An account belongs to one customer: that is what the primary key says.
CREATE TABLE brokerage.accounts (
  account  bigint CONSTRAINT accounts_account PRIMARY KEY,
  customer bigint NOT NULL
);

-- The orders of an account that have a cash: as a number, to compare, and as it stands in the document, to answer.
CREATE TABLE brokerage.account_orders (
  account   bigint NOT NULL,
  id        bigint NOT NULL,
  cash      numeric NOT NULL,
  cash_text text NOT NULL,
  CONSTRAINT account_orders_id PRIMARY KEY (account, id),
  CONSTRAINT account_orders_same CHECK (cash = btrim(cash_text, E' \t\r\n')::numeric)
);

-- customer_max_order: for each account the greatest cash, then the lowest id.
CREATE INDEX account_orders_cash ON brokerage.account_orders (account, cash DESC, id);

-- What a search compares, in ten-thousandths, and what it answers, as it stands in the document.
CREATE TABLE brokerage.security_search (
  symbol     text CONSTRAINT security_search_symbol PRIMARY KEY,
  sector     text, -- NULL: the security has none
  pe         bigint NOT NULL,
  yield      bigint NOT NULL,
  name       text NOT NULL,
  type       text NOT NULL,
  pe_text    text NOT NULL,
  yield_text text NOT NULL
);

CREATE INDEX security_search_sector ON brokerage.security_search (sector, pe, yield);


-- Beside the documents -------------------------------------------------------

-- What was loaded, how far a load has come, and the stamp of the database.
CREATE TABLE brokerage.settings (
  name  text CONSTRAINT settings_name PRIMARY KEY,
  value text NOT NULL
);

INSERT INTO brokerage.settings (name, value)
VALUES ('schema.version', '1'), ('database.identity', replace(gen_random_uuid()::text, '-', ''));

-- The next id that nobody has been given yet; a load moves them on.
CREATE TABLE brokerage.leases (
  kind text CONSTRAINT leases_kind PRIMARY KEY,
  next bigint NOT NULL
);

INSERT INTO brokerage.leases (kind, next) VALUES ('order', 103282), ('customer', 1002), ('account', 104000000);

-- Answers by idempotency key, which is whatever bytes a client sends. A slot is a part of the keys' hash; its row in
-- once_slots is where the lock of a key is taken.
CREATE TABLE brokerage.answers (
  slot    int NOT NULL,
  client  bytea NOT NULL,
  key     bytea NOT NULL,
  hash    bytea NOT NULL,
  answer  bytea NOT NULL,
  expires timestamptz NOT NULL,
  CONSTRAINT answers_key PRIMARY KEY (slot, client, key)
);

CREATE INDEX answers_expires ON brokerage.answers (slot, expires);

CREATE TABLE brokerage.once_slots (
  slot int CONSTRAINT once_slots_slot PRIMARY KEY
);

INSERT INTO brokerage.once_slots SELECT generate_series(0, 63);
