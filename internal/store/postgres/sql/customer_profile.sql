-- A document of more than $2 bytes gives an empty text: see large.go.
SELECT CASE WHEN octet_length(doc::text) > $2 THEN '' ELSE (
  SELECT XMLSERIALIZE(CONTENT
    XMLELEMENT(NAME "c:Customer_Profile", XMLATTRIBUTES('http://tpox-benchmark.com/custacc' AS "xmlns:c", p.id AS "CUSTOMERID"),
      p.name, p.born, p.gender, p.country, p.languages,
      XMLELEMENT(NAME "c:Addresses", p.addresses),
      p.mail)
    AS text)
  FROM XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/custacc' AS c), '/c:Customer' PASSING doc
      COLUMNS id text PATH '@id', name xml PATH 'c:Name[1]', born xml PATH 'c:DateOfBirth[1]', gender xml PATH 'c:Gender[1]',
        country xml PATH 'c:CountryOfResidence[1]', languages xml PATH 'c:Languages[1]',
        addresses xml PATH 'c:Addresses[1]/c:Address', mail xml PATH 'c:Addresses[1]/c:EmailAddresses[1]') AS p) END
FROM brokerage.customers
WHERE (keys).id = $1
