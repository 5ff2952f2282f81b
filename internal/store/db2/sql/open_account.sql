-- open_account (U2): one UPDATE; the whole customer is validated. The unique index custacc_account refuses an id that
-- exists (SQLSTATE 23505), also where it is the same customer's.
-- Index: custacc_id.
-- Manual: Transform expression; Insert expression; XMLVALIDATE scalar function; XMLPARSE scalar function; XMLEXISTS
-- predicate usage.
UPDATE custacc
SET cadoc = XMLVALIDATE(XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    copy $n := $d
    modify do insert $new/* as last into $n/Customer/Accounts[1]
    return $n'
    PASSING cadoc AS "d", XMLPARSE(DOCUMENT CAST(? AS CLOB(16M)) PRESERVE WHITESPACE) AS "new")
  ACCORDING TO XMLSCHEMA ID custacc)
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer[@id = $id][Accounts]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
