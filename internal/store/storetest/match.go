package storetest

import (
	"errors"
	"fmt"
	"sync/atomic"

	"brokerage/internal/brokerage"
)

var matchCases = []testCase{
	{name: "Match/Customer", run: matchCustomer},
	{name: "Match/Security", run: matchSecurity},
	{name: "Match/Race", run: matchRace},
}

func tag(e *env, doc []byte, err error) string {
	e.Helper()
	e.must(err)
	return brokerage.ETag(doc)
}

func matchCustomer(e *env) {
	id, accounts, doc := e.insertCustomer(2)
	get := func() string { e.Helper(); b, err := e.s.GetCustomer(e.Context(), id); return tag(e, b, err) }
	replace := func(doc string, m brokerage.Match) error {
		return e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(doc), true, m)
	}
	old := get()
	changed := e.put(doc, "LastName", "Changed")
	e.must(replace(changed, brokerage.Match{"other", old}))
	e.unchanged(watch{customers: []brokerage.ID{id}, accounts: accounts}, func() {
		for _, m := range []brokerage.Match{{old}, {}, {"", "x"}} {
			refused[*brokerage.Stale](e, replace(doc, m))
		}
	})
	// Any change makes it stale, a trade as well.
	current := get()
	_, err := e.buy(plain(), accounts[0], e.held(0), "1")
	e.must(err)
	refused[*brokerage.Stale](e, replace(doc, brokerage.Match{current}))
	e.must(replace(doc, brokerage.Match{get()}))
	e.same("the customer", e.tree([]byte(doc)), e.customer(id))
	_, _, other := e.newCustomer(1)
	e.notFound(e.s.ReplaceCustomer(e.Context(), plain(), brokerage.ID(idOf(e.tree([]byte(other)).attrs["id"])), []byte(other), true,
		brokerage.Match{old}), "customer")
}

func matchSecurity(e *env) {
	symbol, doc := e.listed()
	get := func() string { e.Helper(); b, err := e.s.GetSecurity(e.Context(), symbol); return tag(e, b, err) }
	replace := func(doc string, m brokerage.Match) error {
		return e.s.ReplaceSecurity(e.Context(), plain(), symbol, []byte(doc), true, m)
	}
	old := get()
	e.setPrice(symbol, brokerage.Price{LastTrade: "5.25"})
	e.unchanged(watch{symbols: []string{symbol}}, func() {
		for _, m := range []brokerage.Match{{old}, {}} {
			refused[*brokerage.Stale](e, replace(e.put(doc, "PE", "7"), m))
		}
	})
	e.must(replace(doc, brokerage.Match{get()}))
	e.same("the security", e.tree([]byte(doc)), e.security(symbol))
}

// Of those who hold one version, one can replace it.
func matchRace(e *env) {
	id, _, doc := e.insertCustomer(1)
	for round := range 5 {
		b, err := e.s.GetCustomer(e.Context(), id)
		version := brokerage.Match{tag(e, b, err)}
		var won atomic.Int64
		var winner atomic.Value
		names := make([]string, 16)
		for i := range names {
			names[i] = e.put(doc, "LastName", fmt.Sprintf("Number %d of %d", i, round))
		}
		e.together(len(names), func(i int) error {
			err := e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(names[i]), true, version)
			if stale := (*brokerage.Stale)(nil); errors.As(err, &stale) {
				return nil
			}
			won.Add(1)
			winner.Store(names[i])
			return err
		})
		e.equal("winners", int64(1), won.Load())
		e.same("the customer", e.tree([]byte(winner.Load().(string))), e.customer(id))
	}
}
