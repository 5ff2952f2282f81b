-- The whole customer of an account: for get_account, and to find out why a trade was refused.
-- The index has /Customer/Accounts/Account/@id as VARCHAR, and @id is compared with a VARCHAR.
-- Index: custacc_account.
-- Manual: XMLEXISTS predicate usage; XMLSERIALIZE scalar function.
SELECT a.doc
FROM (
  SELECT XMLSERIALIZE(cadoc AS VARCHAR(32672) EXCLUDING XMLDECLARATION) AS doc
  FROM custacc
  WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer/Accounts/Account[@id = $account]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "account")
) AS a
