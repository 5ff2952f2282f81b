-- The owner of a database may have made the schema for a role that has no right to
-- make one.
DO $$ BEGIN IF to_regnamespace('brokerage') IS NULL THEN CREATE SCHEMA brokerage; END IF; END $$;

-- The keys of documents, as SQL/XML computes them, the same in every layout.

-- An id: 1 to 15 digits without a leading zero; NULL for anything else.
CREATE FUNCTION brokerage.id(text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN $1 ~ '^[1-9][0-9]{0,14}$' THEN $1::bigint END;

-- A decimal of XML Schema, without an exponent and of at most 100 digits, which
-- any index can hold; NULL for anything else.
CREATE FUNCTION brokerage.decimal(text) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN $1 ~ '^[ \t\r\n]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)[ \t\r\n]*$' AND length(translate($1, E'+-. \t\r\n', '')) <= 100
  THEN btrim($1, E' \t\r\n')::numeric END;

-- Cash is there as a number, to compare, and as it stands in the document, to
-- answer.
CREATE TYPE brokerage.order_keys AS (id bigint, account bigint, cash numeric, cash_text text);

-- The functions that give keys are IMMUTABLE, as a generated column has to be:
-- XMLTABLE depends on its document alone.
CREATE FUNCTION brokerage.keys_of_order(doc xml) RETURNS brokerage.order_keys
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT ROW(brokerage.id(k.id), brokerage.id(k.account), brokerage.decimal(k.cash),
    CASE WHEN brokerage.decimal(k.cash) IS NOT NULL THEN k.cash END)::brokerage.order_keys
  FROM XMLTABLE(XMLNAMESPACES('http://www.fixprotocol.org/FIXML-4-4' AS f), '(/f:FIXML/f:Order)[1]' PASSING doc
    COLUMNS id text PATH '@ID', account text PATH '@Acct', cash text PATH 'f:OrdQty[1]/@Cash') AS k;
END;

CREATE TYPE brokerage.customer_keys AS (id bigint, accounts bigint[]);

CREATE FUNCTION brokerage.keys_of_customer(doc xml) RETURNS brokerage.customer_keys
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  -- The customer is the first of the elements, being the root.
  SELECT ROW((array_agg(brokerage.id(k.id) ORDER BY k.n))[1], (array_agg(brokerage.id(k.id) ORDER BY k.n))[2:])::brokerage.customer_keys
  FROM XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/custacc' AS c), '/c:Customer | /c:Customer/c:Accounts/c:Account' PASSING doc
    COLUMNS n FOR ORDINALITY, id text PATH '@id') AS k;
END;

-- What a search compares, and what it answers: as numbers, and as they stand in
-- the document.
CREATE TYPE brokerage.security_keys AS (
  symbol text, sector text, pe numeric, yield numeric,
  name text, type text, pe_text text, yield_text text
);

CREATE FUNCTION brokerage.keys_of_security(doc xml) RETURNS brokerage.security_keys
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT ROW(k.symbol, k.sector, brokerage.decimal(k.pe), brokerage.decimal(k.yield), k.name, k.type, k.pe, k.yield)::brokerage.security_keys
  FROM XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/security' AS s), '/s:Security' PASSING doc
    COLUMNS symbol text PATH 's:Symbol[1]', sector text PATH '(s:SecurityInformation/*/s:Sector)[1]',
      pe text PATH 's:PE[1]', yield text PATH 's:Yield[1]', name text PATH 's:Name[1]', type text PATH 's:SecurityType[1]') AS k;
END;
