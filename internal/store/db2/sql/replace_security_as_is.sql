-- replace_security with validate=no.
-- Index: security_symbol.
-- Manual: XMLPARSE scalar function; XMLEXISTS predicate usage.
UPDATE security
SET sdoc = XMLPARSE(DOCUMENT CAST(? AS CLOB(16M)) PRESERVE WHITESPACE)
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/security";
    $d/Security[Symbol = $symbol]'
    PASSING sdoc AS "d", CAST(? AS VARCHAR(28)) AS "symbol")
