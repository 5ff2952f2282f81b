-- The best order of each account comes from the index, and only the best of those
-- is opened. A document of more than $2 bytes gives an empty text: see large.go.
SELECT CASE WHEN octet_length(c.doc::text) > $2 OR octet_length(m.doc::text) > $2 THEN '' ELSE XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "f:Customer_Max_Order",
    XMLATTRIBUTES('http://www.fixprotocol.org/FIXML-4-4' AS "xmlns:f", (c.keys).id AS "CUSTOMERID",
      (m.keys).id AS "ORDER_ID", (m.keys).cash_text AS "CASH"),
    (xpath('/f:FIXML/f:Order', m.doc, '{{f,http://www.fixprotocol.org/FIXML-4-4}}'))[1])
  AS text) END
FROM brokerage.customers AS c
LEFT JOIN LATERAL (
  SELECT o.keys, o.doc
  FROM unnest(CASE WHEN octet_length(c.doc::text) <= $2 THEN (c.keys).accounts END) AS a (account)
  CROSS JOIN LATERAL (
    SELECT o.keys, o.doc FROM brokerage.orders AS o
    WHERE (o.keys).account = a.account AND (o.keys).cash IS NOT NULL
    ORDER BY (o.keys).cash DESC, (o.keys).id
    LIMIT 1
  ) AS o
  ORDER BY (o.keys).cash DESC, (o.keys).id
  LIMIT 1
) AS m ON true
WHERE (c.keys).id = $1
