-- Nodes are read, and not their text, since an element may have attributes. They bring their namespace along.
SELECT XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "s:Security_Price", XMLATTRIBUTES('http://tpox-benchmark.com/security' AS "xmlns:s", p.symbol AS "SYMBOL"), p.name, p.last, p.ask, p.bid, p.open)
  AS text)
FROM brokerage.securities,
  XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/security' AS s), '/s:Security' PASSING doc
    COLUMNS symbol text PATH 's:Symbol[1]', name xml PATH 's:Name[1]', last xml PATH 's:Price[1]/s:LastTrade[1]',
      ask xml PATH 's:Price[1]/s:Ask[1]', bid xml PATH 's:Price[1]/s:Bid[1]', open xml PATH 's:Price[1]/s:PriceToday[1]/s:Open[1]') AS p
WHERE (keys).symbol = $1
