-- Finds nothing if the document is no longer the one that was read: see ifUnchanged.
UPDATE brokerage.customers SET doc = XMLPARSE(DOCUMENT $2::text PRESERVE WHITESPACE), elsewhere = $3 WHERE customer = $1 AND md5(doc::text) = $4
