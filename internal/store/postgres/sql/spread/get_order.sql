-- A document of more than $3 bytes gives an empty text: see large.go.
SELECT CASE WHEN octet_length(doc::text) > $3 THEN ''
  ELSE XMLSERIALIZE(CONTENT (xpath('/f:FIXML/f:Order', doc, '{{f,http://www.fixprotocol.org/FIXML-4-4}}'))[1] AS text) END
FROM brokerage.orders
WHERE home = $1 AND id = $2
