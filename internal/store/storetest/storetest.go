// Package storetest is the conformance suite that every store runs, unchanged.
//
// Each case has a fresh store, and compares what it answers with a reference
// (reference.go) that shares no code with the service: plain trees, fractions,
// and loops over all documents. Documents are compared in a canonical form, so
// that prefixes and white space between elements may differ, and nothing else.
//
// A store that cannot do something says so by Options.Exceptions, case by case
// and with a reason; an exception that is not needed is a failure. That cases
// can fail at all is shown by the package's own tests, on stores that are
// broken on purpose.
package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/guard"
	"brokerage/internal/xmldoc"
)

// Options are what the suite has to know of a store.
type Options struct {
	// Dataset is what each case's store is loaded with; nil is the scale tiny.
	Dataset *dataset.Dataset

	// OpenWith is open with rules other than brokerage.DefaultRules.
	OpenWith func(t testing.TB, d *dataset.Dataset, rules brokerage.Rules) brokerage.Store

	// Reopen closes a store and opens it again with what it holds.
	Reopen func(t testing.TB, s brokerage.Store) brokerage.Store

	// Exceptions are the cases that this store does not pass, and why.
	Exceptions map[string]string
}

// Run runs the suite. The store that open gives is loaded with d, is used by
// one case, and is closed by open's own t.Cleanup.
func Run(t *testing.T, open func(t testing.TB, d *dataset.Dataset) brokerage.Store, options Options) {
	known := make(map[string]bool)
	f := newFixture(options.Dataset)
	for _, c := range cases() {
		if known[c.name] {
			t.Fatalf("two cases are named %s", c.name)
		}
		known[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			var s brokerage.Store
			switch {
			case c.rules == nil:
				s = open(t, f.d)
			case options.OpenWith != nil:
				s = options.OpenWith(t, f.d, *c.rules)
			}
			e := &env{fixture: f, s: guarded(s)}
			if options.Reopen != nil {
				e.reopen = func() brokerage.Store {
					s = options.Reopen(t, s)
					return guarded(s)
				}
			}
			e.conform(t, c, options.Exceptions)
		})
	}
	for name := range options.Exceptions {
		if !known[name] {
			t.Errorf("an exception is for %s, which is no case", name)
		}
	}
}

// guarded makes an error that a method does not declare a panic, in whatever
// case it comes up.
func guarded(s brokerage.Store) brokerage.Store {
	if s == nil {
		return nil
	}
	return guard.New(s, guard.Options{Strict: true})
}

// T is what a case needs of a test. It is smaller than testing.TB, which nobody
// else can implement, so that the suite can be tested.
type T interface {
	rapid.TB
	Context() context.Context
}

// A testCase is named resource or transaction, slash, what is special.
type testCase struct {
	name  string
	run   func(*env)
	rules *brokerage.Rules // nil: the default
}

func cases() (all []testCase) {
	for _, group := range [][]testCase{
		orderCases, customerCases, securityCases, tradeCases, onceCases, matchCases, leaseCases, concurrencyCases, oddCases,
		contextCases, modelCases,
	} {
		all = append(all, group...)
	}
	return all
}

// fixture is the dataset, and its documents as trees. It is never changed.
type fixture struct {
	d                             *dataset.Dataset
	orders, customers, securities []*element
	fresh                         struct {
		sync.Mutex
		n int64
	}
}

func newFixture(d *dataset.Dataset) *fixture {
	if d == nil {
		d = dataset.New(dataset.Spec{Seed: 1})
	}
	f := &fixture{d: d}
	for k, list := range map[dataset.Kind]*[]*element{
		dataset.Order: &f.orders, dataset.Customer: &f.customers, dataset.Security: &f.securities,
	} {
		for i := range d.Count(k) {
			n, err := parse(d.Append(nil, k, i))
			if err != nil {
				panic(err) // the generator makes well-formed documents
			}
			*list = append(*list, n)
		}
	}
	return f
}

// env is what a case works with.
type env struct {
	T
	*fixture
	s      brokerage.Store
	reopen func() brokerage.Store
}

// conform runs a case, or, where it is excepted, sees whether it has to be.
func (e *env) conform(t T, c testCase, exceptions map[string]string) {
	reason, excepted := exceptions[c.name]
	if !excepted {
		e.run(t, c)
		return
	}
	failed, messages := observe(t.Context(), t.Name(), func(r T) { e.run(r, c) })
	if !failed {
		t.Fatalf("the exception (%s) is not needed: the case passes", reason)
	}
	t.Skipf("excepted: %s\n%s", reason, messages)
}

func (e *env) run(t T, c testCase) {
	e.T = t
	if e.s == nil {
		t.Fatalf("the case needs a store with rules %+v, and Options.OpenWith is not set", *c.rules)
	}
	c.run(e)
}

// now is the time of all writes: of another zone, so that forgetting to convert
// it shows, even in the date.
var now = time.Date(2026, 3, 4, 1, 2, 3, 999_000_000, time.FixedZone("", 5*60*60+30*60))

func plain() brokerage.Write { return brokerage.Write{Now: now} }

func once(key, request string) brokerage.Write {
	return brokerage.Write{Now: now, Once: &brokerage.Once{
		Client: "client", Key: key, Hash: sha256.Sum256([]byte(request)), Expires: now.Add(time.Hour),
	}}
}

// id gives an id that nothing has yet, for any kind.
func (e *env) id() brokerage.ID {
	e.fresh.Lock()
	defer e.fresh.Unlock()
	e.fresh.n++
	return brokerage.ID(900_000_000_000 + e.fresh.n)
}

// admit is a document as the service hands it to a store.
func (e *env) admit(doc string) []byte {
	e.Helper()
	b, err := xmldoc.Admit([]byte(doc), xmldoc.Limits{})
	e.must(err)
	return b
}

func (e *env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatalf("unexpected error: %v (%T)", err, err)
	}
}

// got takes a call's answer and error, and gives the answer, as a tree.
func (e *env) got(doc []byte, err error) *element {
	e.Helper()
	e.must(err)
	return e.tree(doc)
}

func (e *env) tree(doc []byte) *element {
	e.Helper()
	n, err := parse(doc)
	e.must(err)
	return n
}

// same compares canonical forms.
func (e *env) same(what string, want, got *element) {
	e.Helper()
	if w, g := want.String(), got.String(); w != g {
		e.Fatalf("%s differs at %s", what, firstDifference(w, g))
	}
}

func (e *env) equal(what string, want, got any) {
	e.Helper()
	if want != got {
		e.Fatalf("%s: want %v, got %v", what, want, got)
	}
}

// refused wants an error of one type, as errors.As finds it.
func refused[E error](e *env, err error) {
	e.Helper()
	_ = refusal[E](e, err)
}

// refusal is refused, for who has more to ask of the error.
func refusal[E error](e *env, err error) (typed E) {
	e.Helper()
	if err == nil {
		e.Fatalf("no error, want %T", typed)
	}
	if !errors.As(err, &typed) {
		e.Fatalf("error %v (%T), want %T", err, err, typed)
	}
	return typed
}

func (e *env) notFound(err error, what string) {
	e.Helper()
	if found := refusal[*brokerage.NotFound](e, err); found.What != what {
		e.Fatalf("what was not found is the %s (%v), want the %s", found.What, found, what)
	}
}

func (e *env) conflict(err error, reason brokerage.Reason) {
	e.Helper()
	if found := refusal[*brokerage.Conflict](e, err); found.Reason != reason {
		e.Fatalf("conflict by %s (%v), want %s", found.Reason, found, reason)
	}
}

func (e *env) invalid(err error) {
	e.Helper()
	found := refusal[*brokerage.Invalid](e, err)
	if len(found.Findings) == 0 {
		e.Fatalf("invalid, without a finding")
	}
	for _, f := range found.Findings {
		if f.Message == "" {
			e.Fatalf("a finding without a message: %+v", found.Findings)
		}
	}
}

// Shorthands that read a document, which must be there.

func (e *env) order(id brokerage.ID) *element {
	e.Helper()
	return e.got(e.s.GetOrder(e.Context(), id))
}

func (e *env) customer(id brokerage.ID) *element {
	e.Helper()
	return e.got(e.s.GetCustomer(e.Context(), id))
}

func (e *env) security(symbol string) *element {
	e.Helper()
	return e.got(e.s.GetSecurity(e.Context(), symbol))
}

func (e *env) raw(doc []byte, err error) string { e.Helper(); e.must(err); return string(doc) }

// watch names documents and keys that a request must leave alone.
type watch struct {
	orders    []brokerage.ID
	customers []brokerage.ID
	accounts  []brokerage.ID
	symbols   []string
}

// state is everything that can be read of what is watched, as one text.
func (e *env) state(w watch) string {
	e.Helper()
	var b strings.Builder
	note := func(what string, doc []byte, err error) {
		var missing *brokerage.NotFound
		switch {
		case errors.As(err, &missing):
			fmt.Fprintf(&b, "%s: missing\n", what)
		case err != nil:
			e.Fatalf("reading %s: %v", what, err)
		default:
			fmt.Fprintf(&b, "%s: %s\n", what, doc)
		}
	}
	for _, id := range w.orders {
		doc, err := e.s.GetOrder(e.Context(), id)
		note("order "+id.String(), doc, err)
	}
	for _, id := range w.customers {
		doc, err := e.s.GetCustomer(e.Context(), id)
		note("customer "+id.String(), doc, err)
		doc, err = e.s.CustomerMaxOrder(e.Context(), id)
		note("largest order of customer "+id.String(), doc, err)
	}
	for _, id := range w.accounts {
		customer, err := e.s.CustomerOf(e.Context(), id)
		note("account "+id.String(), []byte(customer.String()), err)
	}
	for _, symbol := range w.symbols {
		doc, err := e.s.GetSecurity(e.Context(), symbol)
		note("security "+symbol, doc, err)
	}
	if len(w.symbols) > 0 {
		for _, sector := range e.sectors() {
			doc, err := e.s.SearchSecurities(e.Context(), brokerage.Search{Sector: sector, PEMax: 1e13, YieldMin: -1})
			note("sector "+sector, doc, err)
		}
	}
	return b.String()
}

// unchanged runs f, which is refused, and wants everything as it was.
func (e *env) unchanged(w watch, f func()) {
	e.Helper()
	before := e.state(w)
	f()
	if after := e.state(w); after != before {
		e.Fatalf("something was changed: %s", firstDifference(before, after))
	}
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

// Customers of the dataset, by number from 0.

func (e *env) customerID(k int64) brokerage.ID { return brokerage.ID(e.d.ID(dataset.Customer, k)) }

func (e *env) accountID(k int64) brokerage.ID { return brokerage.ID(e.d.FirstAccount(k)) }

func (e *env) generated(k int64) string { return string(e.d.Append(nil, dataset.Customer, k)) }

// held is the symbol of the first position of customer k's first account.
func (e *env) held(k int64) string {
	return refAccount(e.customers[k], e.accountID(k)).child("Holdings", "Position", "Symbol").text()
}

// notHeld is a symbol that the first account of customer k does not have.
func (e *env) notHeld(k int64) string {
	has := map[string]bool{}
	for _, p := range refAccount(e.customers[k], e.accountID(k)).child("Holdings").children("Position") {
		has[p.child("Symbol").text()] = true
	}
	for _, s := range e.securities {
		if symbol := s.child("Symbol").text(); !has[symbol] {
			return symbol
		}
	}
	panic("an account has every security")
}

// newCustomer is a customer to insert, with new ids.
func (e *env) newCustomer(accounts int) (id brokerage.ID, ids []brokerage.ID, doc string) {
	p := dataset.NewCustomer{ID: int64(e.id())}
	for range accounts {
		account := e.id()
		ids = append(ids, account)
		p.Accounts = append(p.Accounts, int64(account))
	}
	return brokerage.ID(p.ID), ids, string(e.d.AppendNewCustomer(nil, 3, p))
}

func (e *env) insertCustomer(accounts int) (id brokerage.ID, ids []brokerage.ID, doc string) {
	e.Helper()
	id, ids, doc = e.newCustomer(accounts)
	_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(doc), true)
	e.must(err)
	return id, ids, doc
}

// newOrder is an order to insert, with a new id and some cash.
func (e *env) newOrder(account brokerage.ID, cash string) (brokerage.ID, string) {
	id := e.id()
	return id, fmt.Sprintf(`<FIXML xmlns=%q><Order ID="%d" Acct="%d" Side="1"><OrdQty Qty="1" Cash=%q></OrdQty></Order></FIXML>`,
		fixml, id, account, cash)
}

func (e *env) insertOrder(doc string) {
	e.Helper()
	_, err := e.s.InsertOrder(e.Context(), plain(), []byte(doc))
	e.must(err)
}

// edit replaces the first occurrence, which must be there.
func (e *env) edit(doc, from, to string) string {
	e.Helper()
	if !strings.Contains(doc, from) {
		e.Fatalf("the test's own edit: no %q in the document", from)
	}
	return strings.Replace(doc, from, to, 1)
}

// put replaces the content of the first element of a name.
func (e *env) put(doc, name, content string) string {
	e.Helper()
	_, rest, ok := strings.Cut(doc, "<"+name+">")
	old, _, end := strings.Cut(rest, "</"+name+">")
	if !ok || !end {
		e.Fatalf("the test's own edit: no %s in the document", name)
	}
	return strings.Replace(doc, "<"+name+">"+old+"</"+name+">", "<"+name+">"+content+"</"+name+">", 1)
}

// sample is some of n: all if they are few, else spread, with both ends.
func sample(n, most int64) (indexes []int64) {
	if n <= most {
		most = n
	}
	for i := range most {
		indexes = append(indexes, i*(n-1)/max(1, most-1))
	}
	return indexes
}
