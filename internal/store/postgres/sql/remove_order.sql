-- On a cluster: the keys in the document tell which row of account_orders goes with it.
DELETE FROM brokerage.orders WHERE id = $1 RETURNING XMLSERIALIZE(CONTENT doc AS text)
