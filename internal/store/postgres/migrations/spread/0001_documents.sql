-- Documents spread over the nodes of a Citus cluster, or over the partitions of
-- one server (ADR 0028). What is in migrations/0001_documents.sql holds here too:
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

-- Answers of queries. Citus plans a statement on one table by its key at the least
-- cost, but not one with XMLTABLE; a function of the document is not looked into.
-- In PL/pgSQL, which keeps its plans, also for a connection that keeps none (see
-- configureCluster). The statements of one server have the same expressions,
-- without these functions.

CREATE FUNCTION brokerage.account_summary(customer bigint, doc xml) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET plan_cache_mode = auto AS $$
BEGIN
  RETURN concat('<c:Customer xmlns:c="http://tpox-benchmark.com/custacc" id="', customer, '">',
    (SELECT concat(string_agg(XMLSERIALIZE(CONTENT a.customer AS text), ''), '<c:Customer_Securities>',
       string_agg(
         concat(rtrim(XMLSERIALIZE(CONTENT XMLELEMENT(NAME "c:Account",
             XMLATTRIBUTES(a.id AS "ACCOUNT_ID", coalesce(a.balance, '') AS "BALANCE", coalesce(a.currency, '') AS "CURRENCY")) AS text), '/>'), '><c:Securities>',
           (SELECT string_agg(XMLSERIALIZE(CONTENT XMLELEMENT(NAME "c:Position",
                coalesce(p.odd_symbol, XMLFOREST(p.symbol AS "c:Symbol")), coalesce(p.odd_name, XMLFOREST(p.name AS "c:Name")),
                coalesce(p.odd_quantity, XMLFOREST(p.quantity AS "c:Quantity"))) AS text), '' ORDER BY p.n)
            FROM XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/custacc' AS c), '/c:Holdings/c:Position' PASSING a.holdings
              COLUMNS n FOR ORDINALITY, symbol text PATH 'c:Symbol[1]', name text PATH 'c:Name[1]', quantity text PATH 'c:Quantity[1]',
                odd_symbol xml PATH 'c:Symbol[1][@*|*]', odd_name xml PATH 'c:Name[1][@*|*]', odd_quantity xml PATH 'c:Quantity[1][@*|*]') AS p),
           '</c:Securities><c:Statement>', XMLSERIALIZE(CONTENT a.dates AS text), '</c:Statement></c:Account>'),
         '' ORDER BY a.n) FILTER (WHERE a.customer IS NULL), '</c:Customer_Securities>')
     FROM XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/custacc' AS c), '/c:Customer/c:Name[1] | /c:Customer/c:Accounts/c:Account' PASSING doc
       COLUMNS n FOR ORDINALITY, customer xml PATH 'self::c:Name', id text PATH '@id', balance text PATH 'c:Balance[1]/c:OnlineActualBal[1]',
         currency text PATH 'c:Currency[1]', holdings xml PATH 'c:Holdings[1]', dates xml PATH 'c:gValueDate[1]/c:mValueDate') AS a),
    '</c:Customer>');
END $$;

CREATE FUNCTION brokerage.customer_profile(doc xml) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET plan_cache_mode = auto AS $$
BEGIN
  RETURN (SELECT XMLSERIALIZE(CONTENT
    XMLELEMENT(NAME "c:Customer_Profile", XMLATTRIBUTES('http://tpox-benchmark.com/custacc' AS "xmlns:c", p.id AS "CUSTOMERID"),
      p.name, p.born, p.gender, p.country, p.languages,
      XMLELEMENT(NAME "c:Addresses", p.addresses),
      p.mail)
    AS text)
  FROM XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/custacc' AS c), '/c:Customer' PASSING doc
      COLUMNS id text PATH '@id', name xml PATH 'c:Name[1]', born xml PATH 'c:DateOfBirth[1]', gender xml PATH 'c:Gender[1]',
        country xml PATH 'c:CountryOfResidence[1]', languages xml PATH 'c:Languages[1]',
        addresses xml PATH 'c:Addresses[1]/c:Address', mail xml PATH 'c:Addresses[1]/c:EmailAddresses[1]') AS p);
END $$;

CREATE FUNCTION brokerage.security_price(doc xml) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET plan_cache_mode = auto AS $$
BEGIN
  RETURN (SELECT XMLSERIALIZE(CONTENT
    XMLELEMENT(NAME "s:Security_Price", XMLATTRIBUTES('http://tpox-benchmark.com/security' AS "xmlns:s", p.symbol AS "SYMBOL"), p.name, p.last, p.ask, p.bid, p.open)
    AS text)
  FROM XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/security' AS s), '/s:Security' PASSING doc
      COLUMNS symbol text PATH 's:Symbol[1]', name xml PATH 's:Name[1]', last xml PATH 's:Price[1]/s:LastTrade[1]',
        ask xml PATH 's:Price[1]/s:Ask[1]', bid xml PATH 's:Price[1]/s:Bid[1]', open xml PATH 's:Price[1]/s:PriceToday[1]/s:Open[1]') AS p);
END $$;

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
