-- The document is parsed once: the customer's name and accounts come as rows, in the order of the document, and an
-- account brings its value dates, which are in the answer as they are, and its holdings, which are a table of their
-- own. Of a position, text is read, and nodes only where there is more than text.
-- The cost is linear in the size of the document (TestStore_LinearCost). What was not: XMLAGG, which copies all that
-- it has for every row that it adds, hence string_agg; and one path for accounts and positions together, since libxml2
-- counts accounts to find out which of two nodes comes first.
-- A document of more than $2 bytes gives an empty text: see large.go.
SELECT CASE WHEN octet_length(doc::text) > $2 THEN '' ELSE concat('<c:Customer xmlns:c="http://tpox-benchmark.com/custacc" id="', (keys).id, '">',
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
  '</c:Customer>') END
FROM brokerage.customers
WHERE (keys).id = $1
