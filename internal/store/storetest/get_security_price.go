package storetest

var getSecurityPrice = &transaction{
	call: func(e *env) call {
		symbol, _ := e.listed()
		return reading(watch{symbols: []string{symbol}}, e.s.SecurityPrice, symbol)
	},
	cases: []testCase{
		{name: "SecurityPrice/Answer", run: func(e *env) {
			for _, i := range sample(int64(len(e.securities)), 60) {
				e.same("the price", refPrice(e.securities[i]), e.got(e.s.SecurityPrice(e.Context(), e.d.Symbol(int(i)))))
			}
		}},
		// See the comment on AccountSummary/Odd.
		{name: "SecurityPrice/Odd", run: func(e *env) {
			const hint = ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="a"`
			symbol, doc := e.listed()
			for _, c := range []struct {
				valid bool
				doc   string
			}{
				{true, e.edit(e.edit(doc, "<LastTrade>", "<LastTrade"+hint+">"), "<Name>", "<Name"+hint+">")},
				{false, e.edit(e.edit(doc, "<Ask>", `<Ask a="1"><b xmlns="">x</b>`), "<Open>", `<Open x:a="1" xmlns:x="urn:x">`)},
				{false, e.edit(doc, "<Price>", "<Price><Ask>5</Ask></Price><Price>")},
				{false, e.edit(doc, "<PriceToday>", "<PriceToday></PriceToday><PriceToday>")},
				{false, e.put(e.edit(doc, "<Price>", "<Name>second</Name><Price>"), "Name", "")},
			} {
				admitted := e.admit(c.doc)
				e.must(e.s.ReplaceSecurity(e.Context(), plain(), symbol, admitted, c.valid, nil))
				e.same("the security", e.tree(admitted), e.security(symbol))
				if price := e.got(e.s.SecurityPrice(e.Context(), symbol)); c.valid {
					e.same("the price", refPrice(e.tree(admitted)), price)
				}
			}
		}},
	},
}

func refPrice(s *element) *element {
	p := s.child("Price")
	return build(security, "Security_Price", []string{"SYMBOL", s.child("Symbol").text()},
		s.child("Name"), p.child("LastTrade"), p.child("Ask"), p.child("Bid"), p.child("PriceToday", "Open"))
}
