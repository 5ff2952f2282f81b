SELECT XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "s:Security_Price", XMLATTRIBUTES('http://tpox-benchmark.com/security' AS "xmlns:s", s.symbol AS "SYMBOL"),
    p.name, p.last, p.ask, p.bid, p.open)
  AS text)
FROM brokerage.securities AS s,
  XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/security' AS s), '/s:Security' PASSING s.doc
    COLUMNS name xml PATH 's:Name', last xml PATH 's:Price/s:LastTrade', ask xml PATH 's:Price/s:Ask',
      bid xml PATH 's:Price/s:Bid', open xml PATH 's:Price/s:PriceToday/s:Open') AS p
WHERE s.symbol = $1
