-- A whole new document for a security, validated.
-- Index: security_symbol.
-- Manual: XMLVALIDATE scalar function; XMLPARSE scalar function; XMLEXISTS predicate usage.
UPDATE security
SET sdoc = XMLVALIDATE(XMLPARSE(DOCUMENT CAST(? AS CLOB(16M)) PRESERVE WHITESPACE) ACCORDING TO XMLSCHEMA ID security)
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/security";
    $d/Security[Symbol = $symbol]'
    PASSING sdoc AS "d", CAST(? AS VARCHAR(28)) AS "symbol")
