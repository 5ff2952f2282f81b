-- Documents spread over the nodes of a Citus cluster, or over the partitions of
-- one server (ADR 0028). What is in single.sql holds here too:
-- keys are computed from the documents. But a table is divided by an ordinary
-- column, which a CHECK ties to the keys, and no trigger can write to another
-- node: the service maintains what it looks up, and verify compares it.

-- Customers, by id. The orders of a customer's accounts are on the same shard.

CREATE TABLE brokerage.customers (
  customer  bigint CONSTRAINT customers_id PRIMARY KEY,
  elsewhere bigint[] NOT NULL DEFAULT '{}', -- accounts whose orders are not at this customer: see account_homes
  keys      brokerage.customer_keys GENERATED ALWAYS AS (brokerage.keys_of_customer(doc)) STORED,
  doc       xml NOT NULL,
  CONSTRAINT customers_have_keys CHECK ((keys).id IS NOT NULL AND (keys).id = customer AND array_position((keys).accounts, NULL) IS NULL)
) PARTITION BY HASH (customer);

CREATE TABLE brokerage.orders (
  home bigint NOT NULL, -- of the account
  id   bigint NOT NULL,
  keys brokerage.order_keys GENERATED ALWAYS AS (brokerage.keys_of_order(doc)) STORED,
  doc  xml NOT NULL,
  CONSTRAINT orders_id PRIMARY KEY (home, id),
  CONSTRAINT orders_have_keys CHECK ((keys).id IS NOT NULL AND (keys).id = id AND (keys).account IS NOT NULL)
) PARTITION BY HASH (home);

-- customer_max_order: for each account the greatest cash, then the lowest id.
CREATE INDEX orders_cash ON brokerage.orders (((keys).account), ((keys).cash) DESC, ((keys).id)) WHERE (keys).cash IS NOT NULL;

-- Where the orders of an account are, and whose it is. The home is set when the
-- account or an order for it is first seen: the id of its customer, or minus that
-- of the account. It never changes, and the row is never deleted, so that orders
-- are found whoever has the account. NULL: nobody has it.
CREATE TABLE brokerage.account_homes (
  account  bigint CONSTRAINT account_homes_account PRIMARY KEY,
  home     bigint NOT NULL,
  customer bigint
) PARTITION BY HASH (account);

-- Where an order is. The primary key makes ids of orders unique on all nodes.
CREATE TABLE brokerage.order_homes (
  id   bigint CONSTRAINT order_homes_id PRIMARY KEY,
  home bigint NOT NULL
) PARTITION BY HASH (id);

-- Securities, by symbol. What a search compares and answers does not change with
-- a price, and is on every node.

CREATE TABLE brokerage.securities (
  symbol text CONSTRAINT securities_symbol PRIMARY KEY,
  keys   brokerage.security_keys GENERATED ALWAYS AS (brokerage.keys_of_security(doc)) STORED,
  doc    xml NOT NULL,
  CONSTRAINT securities_have_keys CHECK (length(symbol) BETWEEN 1 AND 7 AND (keys).pe >= 0 AND (keys).yield >= 0
    AND (keys).symbol IS NOT NULL AND (keys).symbol = symbol AND (keys).pe IS NOT NULL AND (keys).yield IS NOT NULL)
) PARTITION BY HASH (symbol);

CREATE TABLE brokerage.security_search (
  symbol text CONSTRAINT security_search_symbol PRIMARY KEY,
  sector text,
  pe     numeric NOT NULL,
  yield  numeric NOT NULL,
  name   text,
  type   text,
  pe_text text,
  yield_text text
);

CREATE INDEX securities_search ON brokerage.security_search (sector, pe, yield);

-- Space, as in the layout of one server.
DO $$
BEGIN
  ALTER TABLE brokerage.customers ALTER COLUMN doc SET COMPRESSION lz4;
  ALTER TABLE brokerage.securities ALTER COLUMN doc SET COMPRESSION lz4;
  ALTER TABLE brokerage.orders ALTER COLUMN doc SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
  RAISE NOTICE 'this server has no lz4: documents are compressed by pglz';
END $$;

-- Beside the documents.

CREATE TABLE brokerage.settings (
  name  text CONSTRAINT settings_name PRIMARY KEY,
  value text NOT NULL
);

INSERT INTO brokerage.settings (name, value)
VALUES ('schema.version', '1'), ('database.identity', replace(gen_random_uuid()::text, '-', ''));

CREATE TABLE brokerage.leases (
  kind text CONSTRAINT leases_kind PRIMARY KEY,
  next bigint NOT NULL
);

INSERT INTO brokerage.leases (kind, next) VALUES ('order', 103282), ('customer', 1002), ('account', 104000000);

-- Answers by idempotency key. A slot is a part of the keys' hash; its row in
-- once_slots is where the lock of a key is taken, since a lock holds on one node.
CREATE TABLE brokerage.answers (
  slot    int NOT NULL,
  client  bytea NOT NULL,
  key     bytea NOT NULL,
  hash    bytea NOT NULL,
  answer  bytea NOT NULL,
  expires timestamptz NOT NULL,
  CONSTRAINT answers_key PRIMARY KEY (slot, client, key)
) PARTITION BY HASH (slot);

CREATE INDEX answers_expires ON brokerage.answers (slot, expires);

CREATE TABLE brokerage.once_slots (
  slot int CONSTRAINT once_slots_slot PRIMARY KEY
) PARTITION BY HASH (slot);
