-- customer_profile (Q3): seven elements of a customer, and of the contact data the addresses only.
-- It is the predicate in XMLEXISTS that selects; one in XMLQUERY drops no rows.
-- Index: custacc_id.
-- Manual: XMLQUERY scalar function; Direct element constructors; FLWOR expressions; XMLEXISTS predicate usage.
SELECT a.doc
FROM (
  SELECT XMLSERIALIZE(XMLQUERY('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    for $c in $d/Customer
    return <Customer_Profile CUSTOMERID="{fn:string($c/@id)}">
      {$c/Name[1]}{$c/DateOfBirth[1]}{$c/Gender[1]}{$c/CountryOfResidence[1]}{$c/Languages[1]}
      <Addresses>{$c/Addresses[1]/Address}</Addresses>
      {$c/Addresses[1]/EmailAddresses[1]}
    </Customer_Profile>'
    PASSING cadoc AS "d") AS VARCHAR(8192) EXCLUDING XMLDECLARATION) AS doc
  FROM custacc
  WHERE XMLEXISTS('
    declare default element namespace "http://tpox-benchmark.com/custacc";
    $d/Customer[@id = $id]'
    PASSING cadoc AS "d", CAST(? AS VARCHAR(20)) AS "id")
) AS a
