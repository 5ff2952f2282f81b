-- On one server: the greatest order of each account comes from the index, and only the greatest of those is opened.
SELECT XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "f:Customer_Max_Order",
    XMLATTRIBUTES('http://www.fixprotocol.org/FIXML-4-4' AS "xmlns:f", c.id AS "CUSTOMERID", best.id AS "ORDER_ID", best.cash_text AS "CASH"),
    (xpath('/f:FIXML/f:Order', o.doc, '{{f,http://www.fixprotocol.org/FIXML-4-4}}'))[1])
  AS text)
FROM brokerage.customers AS c
LEFT JOIN LATERAL (
  SELECT greatest.id, greatest.cash_text
  FROM unnest(c.accounts) AS a (account)
  CROSS JOIN LATERAL (
    SELECT id, cash, cash_text FROM brokerage.account_orders AS r WHERE r.account = a.account ORDER BY cash DESC, id LIMIT 1
  ) AS greatest
  ORDER BY greatest.cash DESC, greatest.id
  LIMIT 1
) AS best ON true
LEFT JOIN brokerage.orders AS o ON o.id = best.id
WHERE c.id = $1
