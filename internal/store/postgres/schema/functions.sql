-- Answers of queries. Citus plans a statement on one table by its key at the least
-- cost, but not one with XMLTABLE; a function of the document is not looked into.
-- In PL/pgSQL, which keeps its plans, also for a connection that keeps none (see
-- configureCluster). The statements of one server have the same expressions,
-- without these functions. Citus takes them to all nodes.

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
