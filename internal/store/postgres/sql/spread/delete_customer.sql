-- Finds nothing if the document is no longer the one that was read: see ifUnchanged.
DELETE FROM brokerage.customers WHERE customer = $1 AND md5(doc::text) = $2
