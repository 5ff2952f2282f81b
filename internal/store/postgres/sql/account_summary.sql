-- The document is parsed once: the customer's name, accounts, positions and value
-- dates come as rows in the order of the document, and nth tells to which account
-- a row belongs. Of a position, text is read, and nodes only where there is more
-- than text: nodes take half as long again, and a third more room.
SELECT XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "c:Customer", XMLATTRIBUTES('http://tpox-benchmark.com/custacc' AS "xmlns:c", (keys).id AS id),
    (SELECT XMLCONCAT(XMLAGG(name), XMLELEMENT(NAME "c:Customer_Securities", XMLAGG(account ORDER BY nth)))
     FROM (
       SELECT nth, XMLAGG(own) AS name,
         CASE WHEN nth > 0 THEN
           XMLELEMENT(NAME "c:Account", XMLATTRIBUTES(max(id) AS "ACCOUNT_ID", coalesce(max(balance), '') AS "BALANCE", coalesce(max(currency), '') AS "CURRENCY"),
             XMLELEMENT(NAME "c:Securities",
               XMLAGG(XMLELEMENT(NAME "c:Position", 
                 coalesce(odd_symbol, XMLFOREST(symbol AS "c:Symbol")), coalesce(odd_name, XMLFOREST(name AS "c:Name")), coalesce(odd_quantity, XMLFOREST(quantity AS "c:Quantity"))) ORDER BY n)
               FILTER (WHERE id IS NULL AND node IS NULL AND own IS NULL)),
             XMLELEMENT(NAME "c:Statement", XMLAGG(node ORDER BY n)))
         END AS account
       FROM (
         SELECT count(id) OVER (ORDER BY n) AS nth, x.*
         FROM XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/custacc' AS c),
           '/c:Customer/c:Name[1] | /c:Customer/c:Accounts/c:Account
            | /c:Customer/c:Accounts/c:Account/c:Holdings[1]/c:Position
            | /c:Customer/c:Accounts/c:Account/c:gValueDate[1]/c:mValueDate' PASSING doc
           COLUMNS n FOR ORDINALITY, id text PATH 'self::c:Account/@id', balance text PATH 'c:Balance[1]/c:OnlineActualBal[1]', currency text PATH 'c:Currency[1]',
             symbol text PATH 'c:Symbol[1]', name text PATH 'c:Name[1]', quantity text PATH 'c:Quantity[1]',
             odd_symbol xml PATH 'c:Symbol[1][@*|*]', odd_name xml PATH 'c:Name[1][@*|*]', odd_quantity xml PATH 'c:Quantity[1][@*|*]', node xml PATH 'self::c:mValueDate', own xml PATH 'self::c:Name') AS x
       ) AS y GROUP BY nth
     ) AS z))
  AS text)
FROM brokerage.customers
WHERE (keys).id = $1
