package storetest

import (
	"context"
	"strings"

	"brokerage/internal/tpox"
)

var replaceSecurity = &transaction{
	call: func(e *env) call {
		symbol, doc := e.listed()
		doc = e.put(doc, "PE", "7")
		uses := watch{symbols: []string{symbol}}
		return call{uses, true, func(ctx context.Context, w tpox.Write) (string, error) {
			return done(e.s.ReplaceSecurity(ctx, w, symbol, []byte(doc), true, nil))
		}}
	},
	cases: []testCase{
		{name: "ReplaceSecurity/MovesSearchKeys", run: func(e *env) {
			symbol, doc := e.listed()
			all := append([]*element(nil), e.securities...)
			replace := func(to string) {
				doc = to
				e.must(e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(doc), true, nil))
				for i := range all {
					if all[i].child("Symbol").text() == symbol {
						all[i] = e.tree([]byte(doc))
					}
				}
				for _, sector := range append(e.sectors(), "Brand New") {
					e.search(all, anyIn(sector))
				}
			}
			sector := refSector(e.tree([]byte(doc))).text()
			replace(e.put(doc, "PE", "77777.1234"))
			newPE := tpox.Search{Sector: sector, PEMin: 777771234, PEMax: 777771235, YieldMin: -1}
			e.equal("hits by the new PE", 1, e.search(all, newPE))
			replace(e.put(doc, "Yield", "88.5"))
			e.equal("hits by the new yield", 1, e.search(all, tpox.Search{Sector: sector, PEMax: 1e12, YieldMin: 884999}))
			replace(e.put(doc, "PE", "5.0"))
			e.equal("hits by the old PE", 0, e.search(all, newPE))
			replace(e.put(doc, "Name", "Another Name"))
			replace(e.put(doc, "Sector", "Services"))
			replace(e.put(doc, "Sector", "Transportation"))
		}},
		{name: "ReplaceSecurity/Invalid", run: func(e *env) {
			symbol, doc := e.listed()
			other := e.put(doc, "Symbol", "NOSUCH9")
			e.unchanged(watch{symbols: []string{symbol, "NOSUCH9"}}, func() {
				e.invalid(e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(other), true, nil))
				for _, b := range []string{
					e.edit(doc, "<ShortName>", "<Unheard></Unheard><ShortName>"),
					e.put(doc, "Ask", "much"), e.put(doc, "PriceToday", ""),
				} {
					e.invalid(e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(b), true, nil))
					e.invalid(e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(b), true, tpox.Match{"another version"}))
				}
				for _, b := range []string{
					e.put(doc, "PE", "1e3"), e.put(doc, "PE", ""), e.put(doc, "Yield", "-1"), e.put(doc, "Yield", "1.00001"),
					e.put(doc, "Symbol", ""), other, strings.Replace(doc, security, custacc, 1),
				} {
					e.invalid(e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(b), false, nil))
				}
			})
		}},
		{name: "ReplaceSecurity/Missing", run: func(e *env) {
			_, doc := e.listed()
			doc = e.put(doc, "Symbol", "NOSUCH9")
			e.notFound(e.s.ReplaceSecurity(e.Context(), plain(), "NOSUCH9", []byte(doc), true, nil), "security")
			e.invalid(e.s.ReplaceSecurity(e.Context(), plain(), "NOSUCH9", []byte(e.put(doc, "Ask", "much")), true, nil))
			e.noSecurity("NOSUCH9")
		}},
	},
}
