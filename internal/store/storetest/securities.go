package storetest

import (
	"fmt"
	"slices"
	"strings"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

var securityCases = []testCase{
	{name: "GetSecurity/Answer", run: getSecurityAnswer},
	{name: "GetSecurity/Missing", run: getSecurityMissing},
	{name: "SecurityPrice/Answer", run: priceAnswer},
	{name: "SecurityPrice/Odd", run: priceOdd},
	{name: "SecurityPrice/Missing", run: priceMissing},
	{name: "SearchSecurities/Answer", run: searchAnswer},
	{name: "SearchSecurities/Bounds", run: searchBounds},
	{name: "SearchSecurities/Funds", run: searchFunds},
	{name: "SearchSecurities/Order", run: searchOrder},
	{name: "SearchSecurities/Odd", run: searchOdd},
	{name: "SearchSecurities/Nothing", run: searchNothing},
	{name: "UpdateSecurityPrice/Changes", run: priceChanges},
	{name: "UpdateSecurityPrice/HighAndLow", run: priceHighAndLow},
	{name: "UpdateSecurityPrice/Invalid", run: priceInvalid},
	{name: "UpdateSecurityPrice/Missing", run: priceUpdateMissing},
	{name: "ReplaceSecurity/Replaces", run: replaceSecurity},
	{name: "ReplaceSecurity/MovesSearchKeys", run: replaceSecurityKeys},
	{name: "ReplaceSecurity/Invalid", run: replaceSecurityInvalid},
	{name: "ReplaceSecurity/NotValidated", run: replaceSecurityNotValidated},
	{name: "ReplaceSecurity/WrongKey", run: replaceSecurityWrongKey},
	{name: "ReplaceSecurity/Missing", run: replaceSecurityMissing},
}

func getSecurityAnswer(e *env) {
	for _, i := range sample(int64(len(e.securities)), 40) {
		e.same("the security", e.securities[i], e.security(e.d.Symbol(int(i))))
	}
}

// missing are symbols that no security has; letter case tells symbols apart.
func (e *env) missing() []string {
	return []string{"", "NOSUCH9", strings.ToLower(e.d.Symbol(1)), e.d.Symbol(1) + " ", "'", "%", "é", "\x00"}
}

func getSecurityMissing(e *env) {
	for _, symbol := range e.missing() {
		_, err := e.s.GetSecurity(e.Context(), symbol)
		e.notFound(err, "security")
	}
}

func priceAnswer(e *env) {
	for _, i := range sample(int64(len(e.securities)), 60) {
		e.same("the price", refPrice(e.securities[i]), e.got(e.s.SecurityPrice(e.Context(), e.d.Symbol(int(i)))))
	}
}

func priceMissing(e *env) {
	for _, symbol := range e.missing() {
		_, err := e.s.SecurityPrice(e.Context(), symbol)
		e.notFound(err, "security")
	}
}

// search compares with the reference and gives how many were found.
func (e *env) search(all []*element, q brokerage.Search) int {
	e.Helper()
	want := refSearch(all, q)
	e.same(fmt.Sprintf("the search %+v", q), want, e.got(e.s.SearchSecurities(e.Context(), q)))
	return len(want.children("Security"))
}

// XML Schema takes some attributes on any element, and what is not validated may
// have anything anywhere.
func priceOdd(e *env) {
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
		e.same("the price", refPrice(e.tree(admitted)), e.got(e.s.SecurityPrice(e.Context(), symbol)))
	}
}

// A hit has the text of six elements. One that the security lacks is empty, and of
// several the first counts.
func searchOdd(e *env) {
	symbol, doc := e.listed()
	sector := refSector(e.tree([]byte(doc))).text()
	for _, odd := range []string{
		e.put(doc, "Name", ""),
		e.edit(e.put(doc, "Name", ""), "<Name></Name>", ""),
		e.edit(doc, "<SecurityType>Stock</SecurityType>", `<SecurityType a="1">S<b>to</b>ck</SecurityType><SecurityType>Bond</SecurityType>`),
		e.edit(doc, "<Sector>", `<Sector a="1">`),
		e.edit(doc, "</Sector>", "</Sector><Sector>second</Sector>"),
		e.edit(doc, "<PE>", "<PE>1.5</PE><PE>"),
	} {
		want := e.tree(e.admit(odd))
		e.must(e.s.ReplaceSecurity(e.Context(), plain(), symbol, e.admit(odd), false, nil))
		e.same("the security", want, e.security(symbol))
		all := append([]*element{want}, e.securities...)
		all = slices.DeleteFunc(all, func(s *element) bool { return s != want && s.child("Symbol").text() == symbol })
		if e.search(all, brokerage.Search{Sector: sector, PEMax: 1e12, YieldMin: -1}) == 0 {
			e.Fatalf("nothing was found in sector %s", sector)
		}
		e.search(all, brokerage.Search{Sector: "second", PEMax: 1e12, YieldMin: -1})
	}
	long := strings.Repeat("0123456789", 100)
	e.must(e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(e.put(doc, "Sector", long)), false, nil))
	e.search([]*element{e.security(symbol)}, brokerage.Search{Sector: long, PEMax: 1e12, YieldMin: -1})
	e.invalid(e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(e.put(doc, "Sector", long+"x")), false, nil))
}

func searchAnswer(e *env) {
	found := 0
	for _, sector := range e.sectors() {
		for _, q := range []brokerage.Search{
			{PEMin: 200000, PEMax: 250000, YieldMin: 40000},
			{PEMin: 230000, PEMax: 270000, YieldMin: 0},
			{PEMin: 0, PEMax: 1e12, YieldMin: 20000},
			{PEMin: 0, PEMax: 1e12, YieldMin: -1},
		} {
			q.Sector = sector
			found += e.search(e.securities, q)
		}
	}
	if found == 0 {
		e.Fatalf("no search found anything: the case says nothing")
	}
}

func tenThousandths(e *env, s string) int64 {
	e.Helper()
	r := decimal(s)
	if r == nil {
		e.Fatalf("the test's own number %q is none", s)
	}
	n := r.Num().Int64() * (10000 / r.Denom().Int64())
	return n
}

func searchBounds(e *env) {
	checked := 0
	for _, s := range e.securities {
		sector := refSector(s)
		pe, yield := tenThousandths(e, s.child("PE").text()), tenThousandths(e, s.child("Yield").text())
		if sector == nil || pe == 0 || yield == 0 {
			continue
		}
		hit := func(q brokerage.Search, want bool) {
			q.Sector = sector.text()
			e.search(e.securities, q)
			answer := e.got(e.s.SearchSecurities(e.Context(), q))
			got := false
			for _, h := range answer.children("Security") {
				got = got || h.child("Symbol").text() == s.child("Symbol").text()
			}
			e.equal(fmt.Sprintf("%s is in %+v", s.child("Symbol").text(), q), want, got)
		}
		hit(brokerage.Search{PEMin: pe, PEMax: pe + 1, YieldMin: yield - 1}, true)
		hit(brokerage.Search{PEMin: pe, PEMax: pe + 1, YieldMin: yield}, false)
		hit(brokerage.Search{PEMin: pe + 1, PEMax: pe + 2, YieldMin: yield - 1}, false)
		hit(brokerage.Search{PEMin: pe - 1, PEMax: pe, YieldMin: yield - 1}, false)
		if checked++; checked == 5 {
			return
		}
	}
	e.Fatalf("only %d securities have a sector, PE and yield", checked)
}

func searchFunds(e *env) {
	for _, s := range e.securities {
		sector := refSector(s)
		if sector == nil || s.child("SecurityType").text() == "Stock" {
			continue
		}
		symbol, pe := s.child("Symbol").text(), tenThousandths(e, s.child("PE").text())
		q := brokerage.Search{Sector: sector.text(), PEMin: pe, PEMax: pe + 1, YieldMin: -1}
		e.search(e.securities, q)
		if !strings.Contains(e.raw(e.s.SearchSecurities(e.Context(), q)), ">"+symbol+"<") {
			e.Fatalf("the fund %s is not found in its sector", symbol)
		}
		return
	}
	e.Fatalf("no fund has a sector")
}

func searchOrder(e *env) {
	most := 0
	for _, sector := range e.sectors() {
		most = max(most, e.search(e.securities, brokerage.Search{Sector: sector, PEMax: 1e12, YieldMin: -1}))
	}
	if most < 3 {
		e.Fatalf("at most %d hits: the case says nothing of order", most)
	}
}

func searchNothing(e *env) {
	sector := e.sectors()[0]
	for _, q := range []brokerage.Search{
		{Sector: "No Such Sector", PEMax: 1e12, YieldMin: -1},
		{Sector: strings.ToLower(sector), PEMax: 1e12, YieldMin: -1},
		{Sector: sector + " ", PEMax: 1e12, YieldMin: -1},
		{Sector: sector, PEMin: 250000, PEMax: 250000, YieldMin: -1},
		{Sector: sector, PEMin: 260000, PEMax: 250000, YieldMin: -1},
		{Sector: sector, PEMax: 1e12, YieldMin: 1e12},
	} {
		e.equal("hits", 0, e.search(e.securities, q))
	}
	// What has no sector is in none, not in the empty one.
	e.search(e.securities, brokerage.Search{Sector: sector[:1], PEMax: 1e12, YieldMin: -1})
}

func (e *env) setPrice(symbol string, p brokerage.Price) {
	e.Helper()
	want := e.security(symbol)
	refSetPrice(want, p)
	e.same(fmt.Sprintf("the answer to %+v", p), refPrice(want), e.got(e.s.UpdateSecurityPrice(e.Context(), plain(), symbol, p)))
	e.same("the security", want, e.security(symbol))
	e.same("the price", refPrice(want), e.got(e.s.SecurityPrice(e.Context(), symbol)))
}

func priceChanges(e *env) {
	for _, i := range sample(int64(len(e.securities)), 5) {
		for _, p := range []brokerage.Price{
			{LastTrade: "51.5"}, {LastTrade: "51.50", Ask: "51.6000"}, {LastTrade: "0", Bid: "0.0001"},
			{LastTrade: "999999999.9999", Ask: "1", Bid: "2"}, {LastTrade: "007.1"},
		} {
			e.setPrice(e.d.Symbol(int(i)), p)
		}
	}
}

func priceHighAndLow(e *env) {
	symbol := e.d.Symbol(3)
	today := func(name string) string { return e.security(symbol).child("Price", "PriceToday", name).text() }
	for _, step := range []struct{ last, high, low string }{
		{"1000000.01", "1000000.01", today("Low")},
		{"1000000.0100", "1000000.01", today("Low")}, // no higher: as it stands
		{"0.01", "1000000.01", "0.01"},
		{"0.010", "1000000.01", "0.01"},
		{"9.5", "1000000.01", "0.01"}, // between; and below as text
		{"1000000.02", "1000000.02", "0.01"},
	} {
		e.setPrice(symbol, brokerage.Price{LastTrade: step.last})
		e.equal("High after "+step.last, step.high, today("High"))
		e.equal("Low after "+step.last, step.low, today("Low"))
	}
}

func priceInvalid(e *env) {
	symbol := e.d.Symbol(3)
	e.unchanged(watch{symbols: []string{symbol}}, func() {
		for _, p := range []brokerage.Price{
			{}, {LastTrade: "-1"}, {LastTrade: "1.00001"}, {LastTrade: "1e3"}, {LastTrade: "x"}, {LastTrade: "10000000000000"},
			{LastTrade: "1", Ask: "-1"}, {LastTrade: "1", Bid: "NaN"}, {Ask: "1"},
		} {
			_, err := e.s.UpdateSecurityPrice(e.Context(), plain(), symbol, p)
			if err == nil {
				e.Fatalf("%+v was taken", p)
			}
			e.invalid(err)
		}
	})
}

func priceUpdateMissing(e *env) {
	for _, symbol := range e.missing() {
		_, err := e.s.UpdateSecurityPrice(e.Context(), plain(), symbol, brokerage.Price{LastTrade: "1"})
		e.notFound(err, "security")
	}
}

// listed finds a stock with a sector.
func (e *env) listed() (symbol, doc string) {
	for i, s := range e.securities {
		if refSector(s) != nil && s.child("SecurityType").text() == "Stock" {
			return s.child("Symbol").text(), string(e.d.Append(nil, dataset.Security, int64(i)))
		}
	}
	panic("no stock has a sector")
}

func replaceSecurity(e *env) {
	symbol, doc := e.listed()
	doc = e.put(doc, "ShortName", "Über &lt;&amp;&gt; 株")
	e.must(e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(doc), true, nil))
	e.same("the security", e.tree([]byte(doc)), e.security(symbol))
}

func replaceSecurityKeys(e *env) {
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
			e.search(all, brokerage.Search{Sector: sector, PEMax: 1e12, YieldMin: -1})
		}
	}
	sector := refSector(e.tree([]byte(doc))).text()
	replace(e.put(doc, "PE", "77777.1234"))
	e.equal("hits by the new PE", 1, e.search(all, brokerage.Search{Sector: sector, PEMin: 777771234, PEMax: 777771235, YieldMin: -1}))
	replace(e.put(doc, "Yield", "88.5"))
	e.equal("hits by the new yield", 1, e.search(all, brokerage.Search{Sector: sector, PEMax: 1e12, YieldMin: 884999}))
	replace(e.put(doc, "PE", "5.0"))
	e.equal("hits by the old PE", 0, e.search(all, brokerage.Search{Sector: sector, PEMin: 777771234, PEMax: 777771235, YieldMin: -1}))
	replace(e.put(doc, "Name", "Another Name"))
	replace(e.put(doc, "Sector", "Services"))
	replace(e.put(doc, "Sector", "Transportation"))
}

func replaceSecurityInvalid(e *env) {
	symbol, doc := e.listed()
	e.unchanged(watch{symbols: []string{symbol}}, func() {
		for _, b := range []string{
			e.edit(doc, "<ShortName>", "<Unheard></Unheard><ShortName>"), e.put(doc, "Ask", "much"), e.put(doc, "PriceToday", ""),
		} {
			e.invalid(e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(b), true, nil))
		}
		for _, b := range []string{
			e.put(doc, "PE", "1e3"), e.put(doc, "PE", ""), e.put(doc, "Yield", "-1"), e.put(doc, "Yield", "1.00001"),
			e.put(doc, "Symbol", ""), strings.Replace(doc, security, custacc, 1),
		} {
			e.invalid(e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(b), false, nil))
		}
	})
}

func replaceSecurityNotValidated(e *env) {
	symbol, doc := e.listed()
	doc = e.edit(doc, "<ShortName>", "<Unheard></Unheard><ShortName>")
	e.must(e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(doc), false, nil))
	e.same("the security", e.tree([]byte(doc)), e.security(symbol))
}

func replaceSecurityWrongKey(e *env) {
	symbol, doc := e.listed()
	other := e.d.Symbol(3)
	if other == symbol {
		other = e.d.Symbol(4)
	}
	e.unchanged(watch{symbols: []string{symbol, other}}, func() {
		e.invalid(e.s.ReplaceSecurity(e.Context(), plain(), other, []byte(doc), true, nil))
		e.invalid(e.s.ReplaceSecurity(e.Context(), plain(), other, []byte(doc), false, nil))
	})
}

func replaceSecurityMissing(e *env) {
	_, doc := e.listed()
	doc = e.put(doc, "Symbol", "NOSUCH9")
	e.notFound(e.s.ReplaceSecurity(e.Context(), plain(), "NOSUCH9", []byte(doc), true, nil), "security")
	_, err := e.s.GetSecurity(e.Context(), "NOSUCH9")
	e.notFound(err, "security")
}
