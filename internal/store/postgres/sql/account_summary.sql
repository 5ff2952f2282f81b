-- The document is parsed once: each account comes as a row, with the customer's name above it, its holdings, which are a
-- table of their own, and its value dates. XMLAGG copies what it has for each row, so positions come in groups of 64.
SELECT XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "c:Customer", XMLATTRIBUTES('http://tpox-benchmark.com/custacc' AS "xmlns:c", id AS "id"),
    summary.name, XMLELEMENT(NAME "c:Customer_Securities", summary.accounts))
  AS text)
FROM brokerage.customers, LATERAL (
  SELECT (array_agg(a.name))[1] AS name, XMLAGG(
    XMLELEMENT(NAME "c:Account",
      XMLATTRIBUTES(a.id AS "ACCOUNT_ID", coalesce(a.balance, '') AS "BALANCE", coalesce(a.currency, '') AS "CURRENCY"),
      XMLELEMENT(NAME "c:Securities", (
        SELECT XMLAGG(held.positions ORDER BY held.n)
        FROM (SELECT p.n / 64 AS n, XMLAGG(XMLELEMENT(NAME "c:Position", p.parts) ORDER BY p.n) AS positions
          FROM XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/custacc' AS c), '/c:Holdings/c:Position' PASSING a.holdings
            COLUMNS n FOR ORDINALITY, parts xml PATH 'c:Symbol | c:Name | c:Quantity') AS p GROUP BY 1) AS held)),
      XMLELEMENT(NAME "c:Statement", a.dates)) ORDER BY a.n) AS accounts
  FROM XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/custacc' AS c), '/c:Customer/c:Accounts/c:Account' PASSING doc
    COLUMNS n FOR ORDINALITY, name xml PATH '../../c:Name', id text PATH '@id', balance text PATH 'c:Balance[1]/c:OnlineActualBal[1]',
      currency text PATH 'c:Currency[1]', holdings xml PATH 'c:Holdings[1]', dates xml PATH 'c:gValueDate/c:mValueDate') AS a
) AS summary
WHERE id = $1
