-- customer_max_order (Q7): the order with the greatest cash over all accounts of a customer, the lowest id among equals.
-- No row: there is no such order, or no such customer, which get_customer tells apart. (An outer join is no way out:
-- XMLEXISTS may not stand in an ON clause.)
-- The first XMLEXISTS finds the customer, the second the orders: a join uses an XML index (/FIXML/Order/@Acct as VARCHAR) only
-- where both sides are converted to its type, hence fn:string twice. The third decides: of a message with several orders the
-- first counts, and a position in the path might keep Db2 from using the index.
-- Cash is compared as a decimal, and in two parts, because one DECIMAL has no room for twenty digits on either side of the
-- point. What is no decimal (orders need not be valid) is no cash, and is not cast either, since nothing promises that the
-- conditions come first.
-- The document is no longer than what the sort can carry with the other columns in pages of 4 KB (SQL1585N).
-- Index: custacc_id, orders_account.
-- Manual: Join predicate conversion; XMLEXISTS predicate usage; XMLCAST specification; Castable expressions; XMLEXISTS
-- predicate (restrictions).
SELECT a.doc
FROM (
  SELECT XMLSERIALIZE(XMLQUERY('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    for $f in $o/FIXML/Order[1]
    return <Customer_Max_Order CUSTOMERID="{$id}" ORDER_ID="{fn:string($f/@ID)}" CASH="{fn:string($f/OrdQty[1]/@Cash)}">
      {$f}
    </Customer_Max_Order>'
    PASSING o.odoc AS "o", CAST(? AS VARCHAR(20)) AS "id") AS VARCHAR(3800) EXCLUDING XMLDECLARATION) AS doc,
    XMLCAST(XMLQUERY('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    fn:floor(xs:decimal($o/FIXML/Order[1]/OrdQty[1]/@Cash[. castable as xs:decimal]))'
    PASSING o.odoc AS "o") AS DECIMAL(31, 0)) AS whole,
    XMLCAST(XMLQUERY('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    for $cash in $o/FIXML/Order[1]/OrdQty[1]/@Cash[. castable as xs:decimal]
    return xs:decimal($cash) - fn:floor(xs:decimal($cash))'
    PASSING o.odoc AS "o") AS DECIMAL(31, 30)) AS part,
    XMLCAST(XMLQUERY('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    fn:string($o/FIXML/Order[1]/@ID)'
    PASSING o.odoc AS "o") AS BIGINT) AS id
  FROM custacc AS c, orders AS o
  WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $c/Customer[@id = $id]'
    PASSING c.cadoc AS "c", CAST(? AS VARCHAR(20)) AS "id")
  AND XMLEXISTS('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    declare namespace c="http://tpox-benchmark.com/custacc";
    $o/FIXML/Order[@Acct/fn:string(.) = $c/c:Customer/c:Accounts/c:Account/@id/fn:string(.)]'
    PASSING o.odoc AS "o", c.cadoc AS "c")
  AND XMLEXISTS('
    declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";
    declare namespace c="http://tpox-benchmark.com/custacc";
    $o/FIXML/Order[1][@Acct/fn:string(.) = $c/c:Customer/c:Accounts/c:Account/@id/fn:string(.)][OrdQty[1]/@Cash castable as xs:decimal]'
    PASSING o.odoc AS "o", c.cadoc AS "c")
  ORDER BY whole DESC, part DESC, id
  FETCH FIRST 1 ROW ONLY
) AS a
