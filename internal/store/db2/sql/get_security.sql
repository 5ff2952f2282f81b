-- get_security (Q2): the whole document.
-- The index has /Security/Symbol as VARCHAR, and Symbol is compared with a VARCHAR; both are the element, not its text node.
-- Index: security_symbol.
-- Manual: XMLEXISTS predicate usage; Guidelines for matching indexes with queries overview; XMLSERIALIZE scalar function.
SELECT a.doc
FROM (
  SELECT XMLSERIALIZE(sdoc AS VARCHAR(16384) EXCLUDING XMLDECLARATION) AS doc
  FROM security
  WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/security";
    $d/Security[Symbol = $symbol]'
    PASSING sdoc AS "d", CAST(? AS VARCHAR(28)) AS "symbol")
) AS a
