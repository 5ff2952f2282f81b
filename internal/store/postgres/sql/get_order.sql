SELECT XMLSERIALIZE(CONTENT (xpath('/f:FIXML/f:Order', doc, '{{f,http://www.fixprotocol.org/FIXML-4-4}}'))[1] AS text)
FROM brokerage.orders
WHERE id = $1
