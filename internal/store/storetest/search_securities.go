package storetest

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

var searchSecurities = &transaction{
	call: func(e *env) call {
		symbol, _ := e.listed()
		query := tpox.Search{Sector: e.sectors()[0], PEMax: 1e12}
		return reading(watch{symbols: []string{symbol}}, e.s.SearchSecurities, query)
	},
	cases: []testCase{
		{name: "SearchSecurities/Answer", run: func(e *env) {
			found := 0
			for _, sector := range e.sectors() {
				for _, q := range []tpox.Search{
					{PEMin: 200000, PEMax: 250000, YieldMin: 40000},
					{PEMin: 230000, PEMax: 270000, YieldMin: 0},
					{PEMin: 0, PEMax: 1e12, YieldMin: 20000},
					{PEMin: 0, PEMax: 1e12, YieldMin: -1},
				} {
					q.Sector = sector
					found += e.search(e.securities, q)
				}
			}
			require.NotZero(e, found, "no search found anything: the case says nothing")
		}},
		{name: "SearchSecurities/Bounds", run: func(e *env) {
			checked := 0
			for _, s := range e.securities {
				sector := refSector(s)
				pe, yield := tenThousandths(e, s.child("PE").text()), tenThousandths(e, s.child("Yield").text())
				if sector == nil || pe == 0 || yield == 0 {
					continue
				}
				hit := func(q tpox.Search, want bool) {
					q.Sector = sector.text()
					e.search(e.securities, q)
					symbol := s.child("Symbol").text()
					got := slices.ContainsFunc(refSearch(e.securities, q).children("Security"), func(h *element) bool {
						return h.child("Symbol").text() == symbol
					})
					e.equal(fmt.Sprintf("%s is in %+v", symbol, q), want, got)
				}
				hit(tpox.Search{PEMin: pe, PEMax: pe + 1, YieldMin: yield - 1}, true)
				hit(tpox.Search{PEMin: pe, PEMax: pe + 1, YieldMin: yield}, false)
				hit(tpox.Search{PEMin: pe + 1, PEMax: pe + 2, YieldMin: yield - 1}, false)
				hit(tpox.Search{PEMin: pe - 1, PEMax: pe, YieldMin: yield - 1}, false)
				if checked++; checked == 5 {
					return
				}
			}
			e.Fatalf("only %d securities have a sector, PE and yield", checked)
		}},
		// Pages are the whole answer in parts.
		{name: "SearchSecurities/Pages", run: func(e *env) {
			for _, limit := range []int{1, 2, 7, tpox.MaxHits + 1} {
				most := 0
				for _, sector := range e.sectors() {
					q := anyIn(sector)
					found, pages := e.search(e.securities, q), 0
					for q.Limit = limit; ; pages++ {
						page := refSearch(e.securities, q).children("Security")
						e.equal("hits of a page", min(limit, found), e.search(e.securities, q))
						if found -= len(page); len(page) == 0 {
							break
						}
						q.After = page[len(page)-1].child("Symbol").text()
					}
					e.equal("hits that no page has", 0, found)
					most = max(most, pages)
				}
				require.True(e, limit >= 7 || most >= 3, "at most %d pages of %d: the case says nothing", most, limit)
			}
			// q.After need not be a hit's symbol.
			q := anyIn(e.sectors()[0])
			q.Limit, q.After = 5, "M"
			e.search(e.securities, q)
			q.After = "zzzzzzz"
			e.equal("hits after the last", 0, e.search(e.securities, q))
		}},
		// A hit has the text of six elements. One that the security lacks is empty; of several, it has the first.
		{name: "SearchSecurities/Odd", run: func(e *env) {
			symbol, doc := e.listed()
			sector := refSector(e.tree([]byte(doc))).text()
			for _, odd := range []string{
				e.put(doc, "Name", ""),
				e.edit(e.put(doc, "Name", ""), "<Name></Name>", ""),
				e.edit(doc, "<SecurityType>Stock</SecurityType>",
					`<SecurityType a="1">S<b>to</b>ck</SecurityType><SecurityType>Bond</SecurityType>`),
				e.edit(doc, "<Sector>", `<Sector a="1">`),
				e.edit(doc, "</Sector>", "</Sector><Sector>second</Sector>"),
				e.edit(doc, "<PE>", "<PE>1.5</PE><PE>"),
			} {
				want := e.tree(e.admit(odd))
				e.must(e.s.ReplaceSecurity(e.Context(), plain(), symbol, e.admit(odd), false, nil))
				e.same("the security", want, e.security(symbol))
				all := append([]*element{want}, e.securities...)
				all = slices.DeleteFunc(all, func(s *element) bool { return s != want && s.child("Symbol").text() == symbol })
				require.NotZero(e, e.search(all, anyIn(sector)), sector)
				e.search(all, anyIn("second"))
			}
			long := strings.Repeat("0123456789", 100)
			e.must(e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(e.put(doc, "Sector", long)), false, nil))
			e.search([]*element{e.security(symbol)}, anyIn(long))
			e.invalid(e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(e.put(doc, "Sector", long+"x")), false, nil))
		}},
		// Of several PEs or yields, a search compares the first. One that is no number is refused wherever it is, so that it
		// cannot make a search fail.
		{name: "SearchSecurities/SecondFigure", run: func(e *env) {
			symbol, doc := e.listed()
			sector := refSector(e.tree([]byte(doc))).text()
			others := slices.DeleteFunc(slices.Clone(e.securities), func(s *element) bool {
				return s.child("Symbol").text() == symbol
			})
			for _, figures := range [][2]string{
				{"<PE>1.5</PE><PE>900</PE>", "<Yield>3</Yield><Yield>0.5</Yield>"},
				{"<PE>900</PE><PE>1.5</PE>", "<Yield>3</Yield>"},
				{"<PE>1.5</PE>", "<Yield>0.5</Yield><Yield>3</Yield>"},
			} {
				odd := e.edit(e.put(doc, "PE", "none"), "<PE>none</PE>", figures[0])
				odd = e.edit(e.put(odd, "Yield", "none"), "<Yield>none</Yield>", figures[1])
				e.must(e.s.ReplaceSecurity(e.Context(), plain(), symbol, e.admit(odd), false, nil))
				e.search(append([]*element{e.security(symbol)}, others...),
					tpox.Search{Sector: sector, PEMin: 10000, PEMax: 20000, YieldMin: 10000})
			}
			for _, second := range []string{"<PE>abc</PE>", "<PE></PE>", "<Yield>1,5</Yield>"} {
				odd := e.admit(e.edit(doc, "</Security>", second+"</Security>"))
				e.invalid(e.s.ReplaceSecurity(e.Context(), plain(), symbol, odd, false, nil))
			}
			e.search(append([]*element{e.security(symbol)}, others...), anyIn(sector))
		}},
		{name: "SearchSecurities/Nothing", run: func(e *env) {
			sector := e.sectors()[0]
			for _, q := range []tpox.Search{
				{Sector: "No Such Sector", PEMax: 1e12, YieldMin: -1},
				{Sector: strings.ToLower(sector), PEMax: 1e12, YieldMin: -1},
				{Sector: sector + " ", PEMax: 1e12, YieldMin: -1},
				{Sector: sector, PEMin: 250000, PEMax: 250000, YieldMin: -1},
				{Sector: sector, PEMin: 260000, PEMax: 250000, YieldMin: -1},
				{Sector: sector, PEMax: 1e12, YieldMin: 1e12},
			} {
				e.equal("hits", 0, e.search(e.securities, q))
			}
			// A part of a sector's name finds nothing.
			e.search(e.securities, anyIn(sector[:1]))
		}},
	},
}

// anyIn returns a search for all securities of a sector.
func anyIn(sector string) tpox.Search {
	return tpox.Search{Sector: sector, PEMax: 1e12, YieldMin: -1}
}

// search compares a search with the reference and returns the number of hits.
func (e *env) search(all []*element, q tpox.Search) int {
	want := refSearch(all, q)
	e.same(fmt.Sprintf("the search %+v", q), want, e.got(e.s.SearchSecurities(e.Context(), q)))
	return len(want.children("Security"))
}

func tenThousandths(e *env, s string) int64 {
	r := decimal(s)
	require.NotNil(e, r, s)
	return r.Num().Int64() * (10000 / r.Denom().Int64())
}

// refSector returns the first sector of a security of any kind, or nil.
func refSector(s *element) *element {
	for _, information := range s.children("SecurityInformation") {
		for _, kind := range information.children("*") {
			if sector := kind.child("Sector"); sector != nil {
				return sector
			}
		}
	}
	return nil
}

// refSearch looks at every security.
func refSearch(all []*element, q tpox.Search) *element {
	bound := func(n int64) *big.Rat { return big.NewRat(n, 10000) }
	var hits []*element
	for _, s := range all {
		sector := refSector(s)
		pe, yield := decimal(s.child("PE").text()), decimal(s.child("Yield").text())
		if sector == nil || sector.text() != q.Sector || pe == nil || yield == nil ||
			pe.Cmp(bound(q.PEMin)) < 0 || pe.Cmp(bound(q.PEMax)) >= 0 || yield.Cmp(bound(q.YieldMin)) <= 0 ||
			q.Limit > 0 && s.child("Symbol").text() <= q.After {
			continue
		}
		hit := build(security, "Security", nil)
		for _, name := range []string{"Symbol", "Name", "SecurityType", "Sector", "PE", "Yield"} {
			from := s.child(name)
			if name == "Sector" {
				from = sector
			}
			hit.add(build(security, name, nil, from.text()))
		}
		hits = append(hits, hit)
	}
	slices.SortFunc(hits, func(a, b *element) int {
		return strings.Compare(a.child("Symbol").text(), b.child("Symbol").text())
	})
	if q.Limit > 0 {
		hits = hits[:min(q.Limit, len(hits))]
	}
	return build(security, "Securities", []string{"count", strconv.Itoa(len(hits))}, hits)
}

func (e *env) sectors() (list []string) {
	seen := map[string]bool{}
	for _, s := range e.securities {
		if sector := refSector(s); sector != nil && !seen[sector.text()] {
			seen[sector.text()] = true
			list = append(list, sector.text())
		}
	}
	return list
}
