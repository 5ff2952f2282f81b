-- As in mode keys, from the documents alone: the accounts are read from the customer, and the greatest order of each comes
-- from an index on expressions over the orders. Only the customer is found by its id.
SELECT XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "f:Customer_Max_Order",
    XMLATTRIBUTES('http://www.fixprotocol.org/FIXML-4-4' AS "xmlns:f", c.id AS "CUSTOMERID",
      (best.found).id AS "ORDER_ID", (best.found).cash_text AS "CASH"),
    (xpath('/f:FIXML/f:Order', best.doc, '{{f,http://www.fixprotocol.org/FIXML-4-4}}'))[1])
  AS text)
FROM brokerage.customers AS c
LEFT JOIN LATERAL (
  SELECT greatest.found, greatest.doc
  FROM XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/custacc' AS c), '/c:Customer/c:Accounts/c:Account' PASSING c.doc
    COLUMNS id bigint PATH '@id') AS a
  CROSS JOIN LATERAL (
    SELECT brokerage.keys_of_order(o.doc) AS found, o.doc FROM brokerage.orders AS o
    WHERE (brokerage.keys_of_order(o.doc)).account = a.id AND (brokerage.keys_of_order(o.doc)).cash IS NOT NULL
    ORDER BY (brokerage.keys_of_order(o.doc)).cash DESC, (brokerage.keys_of_order(o.doc)).id
    LIMIT 1
  ) AS greatest
  ORDER BY (greatest.found).cash DESC, (greatest.found).id
  LIMIT 1
) AS best ON true
WHERE c.id = $1
