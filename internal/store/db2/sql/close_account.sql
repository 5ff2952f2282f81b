-- close_account (U1): one UPDATE. The condition that it is not the last account stands in XMLEXISTS, so that no row means
-- refused; the store reads the customer then, to say why.
-- The index finds the customer; what else is asked is seen in the one document found.
-- Index: custacc_id.
-- Manual: Transform expression; Use of updating expressions in a transform expression; Delete expression; XMLEXISTS
-- predicate usage.
UPDATE custacc
SET cadoc = XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    copy $n := $d
    modify do delete $n/Customer/Accounts/Account[@id = $account]
    return $n'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "account")
WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer[@id = $id][Accounts/Account/@id = $account][fn:count(Accounts/Account) > 1]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "id", CAST(? AS VARCHAR(20)) AS "account")
