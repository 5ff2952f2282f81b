SELECT XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "f:Customer_Max_Order",
    XMLATTRIBUTES('http://www.fixprotocol.org/FIXML-4-4' AS "xmlns:f", (c.keys).id AS "CUSTOMERID", m.id AS "ORDER_ID", m.cash AS "CASH"),
    m.node)
  AS text)
FROM brokerage.customers AS c
LEFT JOIN LATERAL (
  SELECT x.id, x.cash, x.node
  FROM unnest((c.keys).accounts) AS a (account)
  CROSS JOIN LATERAL (
    -- The best order of each account comes from the index, the best of those is opened.
    SELECT o.keys, o.doc FROM brokerage.orders AS o
    WHERE (o.keys).account = a.account AND (o.keys).cash IS NOT NULL
    ORDER BY (o.keys).cash DESC, (o.keys).id
    LIMIT 1
  ) AS o
  CROSS JOIN LATERAL XMLTABLE(XMLNAMESPACES('http://www.fixprotocol.org/FIXML-4-4' AS f), '(/f:FIXML/f:Order)[1]' PASSING o.doc
    COLUMNS id text PATH '@ID', cash text PATH 'f:OrdQty[1]/@Cash', node xml PATH '.') AS x
  ORDER BY (o.keys).cash DESC, (o.keys).id
  LIMIT 1
) AS m ON true
WHERE (c.keys).id = $1
