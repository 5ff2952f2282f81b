-- Finds nothing if the document is no longer the one that was read: see ifUnchanged.
UPDATE brokerage.orders SET doc = XMLPARSE(DOCUMENT $3::text PRESERVE WHITESPACE) WHERE home = $1 AND id = $2 AND md5(doc::text) = $4
