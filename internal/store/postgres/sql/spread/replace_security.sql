-- Finds nothing if the document is no longer the one that was read: see ifUnchanged.
UPDATE brokerage.securities SET doc = XMLPARSE(DOCUMENT $2::text PRESERVE WHITESPACE) WHERE symbol = $1 AND md5(doc::text) = $3
