package storetest

import (
	"fmt"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

var matchCases = []testCase{
	{name: "Match/Customer", run: func(e *env) {
		id, accounts, doc := e.insertCustomer(2)
		get := func() string { return e.tag(e.s.GetCustomer(e.Context(), id)) }
		replace := func(doc string, m tpox.Match) error {
			return e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(doc), true, m)
		}
		old := get()
		changed := e.put(doc, "LastName", "Changed")
		e.must(replace(changed, tpox.Match{"other", old}))
		e.unchanged(watch{customers: ids{id}, accounts: accounts}, func() {
			for _, m := range []tpox.Match{{old}, {}, {"", "x"}} {
				_ = refused[*tpox.Stale](e, replace(doc, m))
			}
		})
		// Any change makes a version stale, also a trade.
		current := get()
		e.must(errOf(e.buy(plain(), accounts[0], e.held(0))))
		_ = refused[*tpox.Stale](e, replace(doc, tpox.Match{current}))
		e.must(replace(doc, tpox.Match{get()}))
		e.same("the customer", e.tree([]byte(doc)), e.customer(id))
		id, _, other := e.newCustomer(1)
		err := e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(other), true, tpox.Match{old})
		e.notFound(err, "customer")
	}},
	{name: "Match/Security", run: func(e *env) {
		symbol, doc := e.listed()
		get := func() string { return e.tag(e.s.GetSecurity(e.Context(), symbol)) }
		replace := func(doc string, m tpox.Match) error {
			return e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(doc), true, m)
		}
		old := get()
		e.setPrice(symbol, tpox.Price{LastTrade: "5.25"})
		e.unchanged(watch{symbols: []string{symbol}}, func() {
			for _, m := range []tpox.Match{{old}, {}} {
				_ = refused[*tpox.Stale](e, replace(e.put(doc, "PE", "7"), m))
			}
		})
		e.must(replace(doc, tpox.Match{get()}))
		e.same("the security", e.tree([]byte(doc)), e.security(symbol))
	}},
	// Of several clients that hold the same version, only one can replace it.
	{name: "Match/Race", run: func(e *env) {
		id, _, doc := e.insertCustomer(1)
		for round := range 5 {
			version := tpox.Match{e.tag(e.s.GetCustomer(e.Context(), id))}
			changed := func(i int) []byte { return []byte(e.put(doc, "LastName", fmt.Sprintf("Number %d of %d", i, round))) }
			winner := e.oneWins(16, tpox.Is[*tpox.Stale], func(i int) error {
				return e.s.ReplaceCustomer(e.Context(), plain(), id, changed(i), true, version)
			})
			e.same("the customer", e.tree(changed(winner)), e.customer(id))
		}
	}},
	// A document that was moved here from another store has the same tag here, before and after updates, and a condition
	// with that tag holds. The other store is imitated: it has the document in the normal form, byte for byte as the
	// embedded store, and functions of package tpox edit and cut it.
	{name: "Match/Moved", run: func(e *env) {
		for _, form := range []form{
			func(doc, _ string) string { return doc },
			prefixed,
			func(doc, namespace string) string {
				return e.edit(doc, ` xmlns="`+namespace+`"`,
					` xmlns:z="urn:z" xmlns:y="urn:y" xmlns="`+namespace+`" xmlns:again="`+namespace+`"`)
			},
		} {
			accounts := e.movedCustomer(form)
			e.movedSecurity(form)
			e.movedOrder(form, accounts[0])
		}
		// Orders that no schema allows have the same tag, too.
		for _, form := range []string{
			`<f:FIXML xmlns:f="%[1]s"><f:Order ID="%[2]d" Acct="1" Txt="&lt;&#9;&#10;&#13;&quot;é">` +
				`<f:OrdQty/>&#13;&gt;<f:Empty></f:Empty></f:Order></f:FIXML>`,
			`<FIXML xmlns="%[1]s" xmlns:x="urn:x" xmlns:y="urn:y"><Order y:b="2" ID="%[2]d" z="1" Acct="1" x:a="1">` +
				`<x:a/><y:b xmlns:x="urn:z"><x:c/></y:b><none xmlns=""/></Order></FIXML>`,
			`<a:FIXML xmlns:a="%[1]s" xmlns:q="urn:q">` +
				`<Order xmlns="%[1]s" ID="%[2]d" Acct="1" type="q:name" xml:lang="de" xml:id="i"/></a:FIXML>`,
		} {
			number := e.id()
			there := e.admit(fmt.Sprintf(form, fixml, number))
			e.insertOrder(string(there))
			e.equal("the tag of the order", tpox.ETag(tpox.Order(there)), e.tag(e.s.GetOrder(e.Context(), number)))
		}
	}},
}

func (e *env) tag(doc []byte, err error) string { return tpox.ETag([]byte(e.raw(doc, err))) }

// A form writes a document in another way, with the same meaning.
type form = func(doc, namespace string) string

func (e *env) movedCustomer(f form) (accounts []tpox.ID) {
	id, accounts, doc := e.newCustomer(1)
	there := e.admit(f(doc, custacc))
	e.insert(string(there), true)
	e.equal("the tag of the customer", tpox.ETag(there), e.tag(e.s.GetCustomer(e.Context(), id)))
	trade := buying(e.notHeld(0), "2.5")
	priced, err := e.s.GetSecurity(e.Context(), trade.Symbol)
	e.must(err)
	there, _, err = trade.Apply(tpox.DefaultRules, there, accounts[0], tpox.QuoteOf(priced))
	e.must(err)
	e.must(errOf(e.s.Trade(e.Context(), plain(), accounts[0], trade)))
	e.equal("the tag after a trade", tpox.ETag(there), e.tag(e.s.GetCustomer(e.Context(), id)))
	e.must(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(doc), true, tpox.Match{tpox.ETag(there)}))
	return accounts
}

func (e *env) movedSecurity(f form) {
	symbol, listed := e.listed()
	there := e.admit(f(listed, security))
	e.must(e.s.ReplaceSecurity(e.Context(), plain(), symbol, there, true, nil))
	e.equal("the tag of the security", tpox.ETag(there), e.tag(e.s.GetSecurity(e.Context(), symbol)))
	price := tpox.Price{LastTrade: "5.250", Ask: "6"}
	there, err := tpox.SetPrice(there, price)
	e.must(err)
	e.setPrice(symbol, price)
	e.equal("the tag after a new price", tpox.ETag(there), e.tag(e.s.GetSecurity(e.Context(), symbol)))
	match := tpox.Match{tpox.ETag(there)}
	e.must(e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(listed), true, match))
}

func (e *env) movedOrder(f form, account tpox.ID) {
	id := e.id()
	placed := e.d.AppendNewOrder(nil, 3, dataset.NewOrder{ID: int64(id), Account: int64(account)})
	there := e.admit(f(string(placed), fixml))
	e.insertOrder(string(there))
	e.equal("the tag of the order", tpox.ETag(tpox.Order(there)), e.tag(e.s.GetOrder(e.Context(), id)))
	there, _, err := tpox.SetOrderStatus(there, "4")
	e.must(err)
	e.must(errOf(e.s.UpdateOrderStatus(e.Context(), plain(), id, "4")))
	e.equal("the tag after a new status", tpox.ETag(tpox.Order(there)), e.tag(e.s.GetOrder(e.Context(), id)))
}
