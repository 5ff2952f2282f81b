-- As in mode keys, from the documents alone: the accounts are read from the customer, and the best order of each comes
-- from an index on expressions over the orders. Only the customer is found by its id.
-- A document of more than $2 bytes gives an empty text: see large.go.
SELECT CASE WHEN octet_length(c.doc::text) > $2 OR octet_length(m.doc::text) > $2 THEN '' ELSE XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "f:Customer_Max_Order",
    XMLATTRIBUTES('http://www.fixprotocol.org/FIXML-4-4' AS "xmlns:f", (c.keys).id AS "CUSTOMERID",
      (m.best).id AS "ORDER_ID", (m.best).cash_text AS "CASH"),
    (xpath('/f:FIXML/f:Order', m.doc, '{{f,http://www.fixprotocol.org/FIXML-4-4}}'))[1])
  AS text) END
FROM brokerage.customers AS c
LEFT JOIN LATERAL (
  SELECT o.best, o.doc
  FROM unnest(CASE WHEN octet_length(c.doc::text) <= $2 THEN (brokerage.keys_of_customer(c.doc)).accounts END) AS a (account)
  CROSS JOIN LATERAL (
    SELECT brokerage.keys_of_order(o.doc) AS best, o.doc FROM brokerage.orders AS o
    WHERE (brokerage.keys_of_order(o.doc)).account = a.account AND (brokerage.keys_of_order(o.doc)).cash IS NOT NULL
    ORDER BY (brokerage.keys_of_order(o.doc)).cash DESC, (brokerage.keys_of_order(o.doc)).id
    LIMIT 1
  ) AS o
  ORDER BY (o.best).cash DESC, (o.best).id
  LIMIT 1
) AS m ON true
WHERE (c.keys).id = $1
