SELECT XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "c:Customer_Profile", XMLATTRIBUTES('http://tpox-benchmark.com/custacc' AS "xmlns:c", p.id AS "CUSTOMERID"),
    p.name, p.born, p.gender, p.country, p.languages, XMLELEMENT(NAME "c:Addresses", p.addresses), p.mail)
  AS text)
FROM brokerage.customers AS c,
  XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/custacc' AS c), '/c:Customer' PASSING c.doc
    COLUMNS id text PATH '@id', name xml PATH 'c:Name', born xml PATH 'c:DateOfBirth', gender xml PATH 'c:Gender',
      country xml PATH 'c:CountryOfResidence', languages xml PATH 'c:Languages',
      addresses xml PATH 'c:Addresses/c:Address', mail xml PATH 'c:Addresses/c:EmailAddresses') AS p
WHERE c.id = $1
