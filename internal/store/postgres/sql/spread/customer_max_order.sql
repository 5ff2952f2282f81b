-- As on one server, for a customer whose orders are all on the customer's shard; the answer is - for another one.
-- A document of more than $2 bytes gives an empty text: see large.go.
SELECT CASE WHEN c.elsewhere <> '{}' THEN '-'
  WHEN octet_length(c.doc::text) > $2 OR octet_length(m.doc::text) > $2 THEN '' ELSE XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "f:Customer_Max_Order",
    XMLATTRIBUTES('http://www.fixprotocol.org/FIXML-4-4' AS "xmlns:f", c.customer AS "CUSTOMERID",
      m.id AS "ORDER_ID", m.cash_text AS "CASH"),
    (xpath('/f:FIXML/f:Order', m.doc, '{{f,http://www.fixprotocol.org/FIXML-4-4}}'))[1])
  AS text) END
FROM brokerage.customers AS c
LEFT JOIN LATERAL (
  SELECT o.id, o.cash_text, o.doc
  FROM unnest(CASE WHEN octet_length(c.doc::text) <= $2 THEN (c.keys).accounts END) AS a (account)
  CROSS JOIN LATERAL (
    SELECT o.id, (o.keys).cash AS cash, (o.keys).cash_text AS cash_text, o.doc FROM brokerage.orders AS o
    WHERE o.home = $1 AND (o.keys).account = a.account AND (o.keys).cash IS NOT NULL
    ORDER BY (o.keys).cash DESC, (o.keys).id
    LIMIT 1
  ) AS o
  ORDER BY o.cash DESC, o.id
  LIMIT 1
) AS m ON true
WHERE c.customer = $1
