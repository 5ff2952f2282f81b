package storetest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"brokerage/internal/brokerage"
)

func (e *env) belongs(account, customer brokerage.ID) {
	e.Helper()
	got, err := e.s.CustomerOf(e.Context(), account)
	e.must(err)
	e.equal(fmt.Sprintf("the customer of account %d", account), customer, got)
}

func (e *env) noOrder(id brokerage.ID) {
	e.Helper()
	_, err := e.s.GetOrder(e.Context(), id)
	e.notFound(err, "order")
}

func (e *env) noCustomer(id brokerage.ID) {
	e.Helper()
	_, err := e.s.GetCustomer(e.Context(), id)
	e.notFound(err, "customer")
}

func (e *env) noSecurity(symbol string) {
	e.Helper()
	_, err := e.s.GetSecurity(e.Context(), symbol)
	e.notFound(err, "security")
}

func (e *env) noAccount(account brokerage.ID) {
	e.Helper()
	_, err := e.s.CustomerOf(e.Context(), account)
	e.notFound(err, "account")
	_, err = e.s.Trade(e.Context(), plain(), account, buying(e.held(0), "1"))
	e.notFound(err, "account")
}

// accountExists requires a conflict that names the account.
func (e *env) accountExists(err error, account brokerage.ID) {
	e.Helper()
	e.conflict(err, brokerage.AccountExists)
	e.equal("the detail", fmt.Sprintf("account %d exists already", account), err.Error())
}

func (e *env) reopened() {
	e.Helper()
	if e.reopen == nil {
		e.Fatalf("the case opens the store again, and Options.Reopen is not set")
	}
	e.s = e.reopen()
}

// now is the time of all writes. It is in another zone, in which the date differs, so that a missing conversion shows.
var now = time.Date(2026, 3, 4, 1, 2, 3, 999_000_000, time.FixedZone("", 5*60*60+30*60))

func plain() brokerage.Write { return brokerage.Write{Now: now} }

func once(key, request string) brokerage.Write {
	return brokerage.Write{Now: now, Once: &brokerage.Once{
		Client: "client", Key: key, Hash: sha256.Sum256([]byte(request)), Expires: now.Add(time.Hour),
	}}
}

func (e *env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatalf("unexpected error: %v (%T)", err, err)
	}
}

// got requires that a call succeeded, and returns its answer as a tree.
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

// same requires that two documents have the same canonical form.
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

// refused requires an error of one type, as errors.As finds it.
func refused[E error](e *env, err error) {
	e.Helper()
	_ = refusal[E](e, err)
}

// refusal requires an error of one type and returns it.
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

type ids = []brokerage.ID

// A watch names documents and keys that a request must not change.
type watch struct {
	orders    []brokerage.ID
	customers []brokerage.ID
	accounts  []brokerage.ID
	symbols   []string
}

// state returns everything that can be read of what is watched, as one text.
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

// unchanged requires that f, whose requests are refused, changes nothing.
func (e *env) unchanged(w watch, f func()) {
	e.Helper()
	before := e.state(w)
	f()
	if after := e.state(w); after != before {
		e.Fatalf("something was changed: %s", firstDifference(before, after))
	}
}
