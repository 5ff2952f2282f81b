-- The greatest ids that are there, after a load from files.
-- Index: none, it reads both tables.
-- Manual: XMLTABLE table function; XMLCAST specification.
SELECT
  (SELECT MAX(XMLCAST(XMLQUERY('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    fn:string($d/FIXML/Order[1]/@ID)'
    PASSING odoc AS "d") AS BIGINT)) FROM orders),
  (SELECT MAX(XMLCAST(XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    fn:string($d/Customer/@id)'
    PASSING cadoc AS "d") AS BIGINT)) FROM custacc),
  (SELECT MAX(XMLCAST(XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    fn:max(for $a in $d/Customer/Accounts/Account/@id return xs:long($a))'
    PASSING cadoc AS "d") AS BIGINT)) FROM custacc)
FROM SYSIBM.SYSDUMMY1
