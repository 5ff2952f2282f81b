package storetest

import (
	"fmt"

	"brokerage/internal/tpox"
)

var updateSecurityPrice = &transaction{
	call: func(e *env) call {
		symbol, _ := e.listed()
		return writing(watch{symbols: []string{symbol}}, e.s.UpdateSecurityPrice, symbol, tpox.Price{LastTrade: "5.5"})
	},
	cases: []testCase{
		{name: "UpdateSecurityPrice/Changes", run: func(e *env) {
			for _, i := range sample(int64(len(e.securities)), 5) {
				for _, p := range []tpox.Price{
					{LastTrade: "51.5"}, {LastTrade: "51.50", Ask: "51.6000"}, {LastTrade: "0", Bid: "0.0001"},
					{LastTrade: "999999999.9999", Ask: "1", Bid: "2"}, {LastTrade: "007.1"},
				} {
					e.setPrice(e.d.Symbol(int(i)), p)
				}
			}
		}},
		{name: "UpdateSecurityPrice/HighAndLow", run: func(e *env) {
			for _, last := range []string{
				"1000000.01", "1000000.0100", // not higher
				"0.01", "0.010", // not lower
				"9.5", // between low and high; higher only if compared as text
				"1000000.02",
			} {
				e.setPrice(e.d.Symbol(3), tpox.Price{LastTrade: last})
			}
			today := e.security(e.d.Symbol(3)).child("Price", "PriceToday")
			e.equal("High", "1000000.02", today.child("High").text())
			e.equal("Low", "0.01", today.child("Low").text())
		}},
		{name: "UpdateSecurityPrice/Invalid", run: func(e *env) {
			symbol := e.d.Symbol(3)
			e.unchanged(watch{symbols: []string{symbol}}, func() {
				for _, p := range []tpox.Price{
					{}, {LastTrade: "-1"}, {LastTrade: "1.00001"}, {LastTrade: "1e3"}, {LastTrade: "x"}, {LastTrade: "10000000000000"},
					{LastTrade: "1", Ask: "-1"}, {LastTrade: "1", Bid: "NaN"}, {Ask: "1"},
				} {
					e.invalid(errOf(e.s.UpdateSecurityPrice(e.Context(), plain(), symbol, p)))
				}
			})
		}},
	},
}

func (e *env) setPrice(symbol string, p tpox.Price) {
	want := e.security(symbol)
	refSetPrice(want, p)
	answer := e.got(e.s.UpdateSecurityPrice(e.Context(), plain(), symbol, p))
	e.same(fmt.Sprintf("the answer to %+v", p), refPrice(want), answer)
	e.same("the security", want, e.security(symbol))
	e.same("the price", refPrice(want), e.got(e.s.SecurityPrice(e.Context(), symbol)))
}

// refSetPrice edits a security as update_security_price does.
func refSetPrice(s *element, p tpox.Price) {
	price := s.child("Price")
	price.child("LastTrade").setText(p.LastTrade)
	if p.Ask != "" {
		price.child("Ask").setText(p.Ask)
	}
	if p.Bid != "" {
		price.child("Bid").setText(p.Bid)
	}
	last := decimal(p.LastTrade)
	if high := price.child("PriceToday", "High"); last.Cmp(decimal(high.text())) > 0 {
		high.setText(p.LastTrade)
	}
	if low := price.child("PriceToday", "Low"); last.Cmp(decimal(low.text())) < 0 {
		low.setText(p.LastTrade)
	}
}
