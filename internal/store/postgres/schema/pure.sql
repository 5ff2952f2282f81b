-- mode=pure: searches and greatest orders use the documents alone, through indexes on expressions over them.
DROP TABLE brokerage.account_orders, brokerage.security_search;

-- An id: 1 to 15 digits without a leading zero; NULL for anything else.
CREATE FUNCTION brokerage.id(text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN $1 ~ '^[1-9][0-9]{0,14}$' THEN $1::bigint END;

-- A decimal of XML Schema, without an exponent and of at most 100 digits, which any index can hold; NULL for anything
-- else.
CREATE FUNCTION brokerage.decimal(text) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN $1 ~ '^[ \t\r\n]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)[ \t\r\n]*$' AND length(translate($1, E'+-. \t\r\n', '')) <= 100
  THEN btrim($1, E' \t\r\n')::numeric END;

CREATE TYPE brokerage.order_keys AS (id bigint, account bigint, cash numeric, cash_text text);

-- The functions that give keys are IMMUTABLE, as an index requires: XMLTABLE depends on its document alone.
CREATE FUNCTION brokerage.keys_of_order(doc xml) RETURNS brokerage.order_keys
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT ROW(brokerage.id(k.id), brokerage.id(k.account), brokerage.decimal(k.cash), k.cash)::brokerage.order_keys
  FROM XMLTABLE(XMLNAMESPACES('http://www.fixprotocol.org/FIXML-4-4' AS f), '(/f:FIXML/f:Order)[1]' PASSING doc
    COLUMNS id text PATH '@ID', account text PATH '@Acct', cash text PATH 'f:OrdQty[1]/@Cash') AS k;
END;

CREATE TYPE brokerage.security_keys AS (sector text, pe numeric, yield numeric);

CREATE FUNCTION brokerage.keys_of_security(doc xml) RETURNS brokerage.security_keys
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT ROW(k.sector, brokerage.decimal(k.pe), brokerage.decimal(k.yield))::brokerage.security_keys
  FROM XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/security' AS s), '/s:Security' PASSING doc
    COLUMNS sector text PATH '(s:SecurityInformation/*/s:Sector)[1]', pe text PATH 's:PE[1]', yield text PATH 's:Yield[1]') AS k;
END;

CREATE INDEX account_orders_cash ON brokerage.orders (((brokerage.keys_of_order(doc)).account),
  ((brokerage.keys_of_order(doc)).cash) DESC, ((brokerage.keys_of_order(doc)).id))
  WHERE (brokerage.keys_of_order(doc)).cash IS NOT NULL;

CREATE INDEX security_search_sector ON brokerage.securities (((brokerage.keys_of_security(doc)).sector),
  ((brokerage.keys_of_security(doc)).pe), ((brokerage.keys_of_security(doc)).yield));
