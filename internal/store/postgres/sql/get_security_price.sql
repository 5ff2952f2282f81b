SELECT XMLSERIALIZE(CONTENT
  XMLELEMENT(NAME "Security_Price", XMLATTRIBUTES('http://tpox-benchmark.com/security' AS xmlns, p.symbol AS "SYMBOL"),
    XMLFOREST(p.name AS "Name", p.last AS "LastTrade", p.ask AS "Ask", p.bid AS "Bid", p.open AS "Open"))
  AS text)
FROM brokerage.securities,
  XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/security' AS s), '/s:Security' PASSING doc
    COLUMNS symbol text PATH 's:Symbol[1]', name text PATH 's:Name[1]', last text PATH 's:Price[1]/s:LastTrade[1]',
      ask text PATH 's:Price[1]/s:Ask[1]', bid text PATH 's:Price[1]/s:Bid[1]', open text PATH 's:Price[1]/s:PriceToday[1]/s:Open[1]') AS p
WHERE (keys).symbol = $1
