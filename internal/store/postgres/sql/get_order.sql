-- A document of more than $2 bytes gives an empty text: see large.go.
SELECT CASE WHEN octet_length(doc::text) > $2 THEN ''
  ELSE XMLSERIALIZE(CONTENT (xpath('/f:FIXML/f:Order', doc, '{{f,http://www.fixprotocol.org/FIXML-4-4}}'))[1] AS text) END
FROM brokerage.orders
WHERE (keys).id = $1
