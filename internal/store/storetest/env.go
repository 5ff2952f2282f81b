package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"brokerage/internal/tpox"
)

func (e *env) belongs(account, customer tpox.ID) {
	got, err := e.s.GetAccount(e.Context(), account)
	e.must(err)
	e.equal(fmt.Sprintf("the customer of account %d", account), customer, got.Customer)
}

func (e *env) noOrder(id tpox.ID) {
	e.notFound(errOf(e.s.GetOrder(e.Context(), id)), "order")
}

func (e *env) noCustomer(id tpox.ID) {
	for _, read := range []func(context.Context, tpox.ID) ([]byte, error){
		e.s.GetCustomer, e.s.CustomerProfile, e.s.AccountSummary, e.s.CustomerMaxOrder,
	} {
		e.notFound(errOf(read(e.Context(), id)), "customer")
	}
}

func (e *env) noSecurity(symbol string) {
	e.notFound(errOf(e.s.GetSecurity(e.Context(), symbol)), "security")
	e.notFound(errOf(e.s.SecurityPrice(e.Context(), symbol)), "security")
	price := tpox.Price{LastTrade: "1"}
	e.notFound(errOf(e.s.UpdateSecurityPrice(e.Context(), plain(), symbol, price)), "security")
}

func (e *env) noAccount(account tpox.ID) {
	e.notFound(errOf(e.s.GetAccount(e.Context(), account)), "account")
	e.notFound(errOf(e.s.Trade(e.Context(), plain(), account, buying(e.held(0), "1"))), "account")
}

// accountExists requires a conflict that names the account.
func (e *env) accountExists(err error, account tpox.ID) {
	e.conflict(err, tpox.AccountExists)
	e.equal("the detail", fmt.Sprintf("account %d exists already", account), err.Error())
}

func (e *env) reopened() { e.s = e.reopen() }

// now is the time of all writes. It is in another zone, in which the date differs, so that a missing conversion shows.
var now = time.Date(2026, 3, 4, 1, 2, 3, 999_000_000, time.FixedZone("", 5*60*60+30*60))

func plain() tpox.Write { return tpox.Write{Now: now} }

func once(key, request string) tpox.Write {
	return tpox.Write{Now: now, Once: &tpox.Once{
		Client: "client", Key: key, Hash: sha256.Sum256([]byte(request)), Expires: now.Add(time.Hour),
	}}
}

func (e *env) must(err error) {
	if err != nil {
		e.Fatalf("unexpected error: %v (%T)", err, err)
	}
}

// errOf returns the error of a call.
func errOf[A any](_ A, err error) error { return err }

// got requires that a call succeeded, and returns its answer as a tree.
func (e *env) got(doc []byte, err error) *element {
	e.must(err)
	return e.tree(doc)
}

func (e *env) tree(doc []byte) *element {
	n, err := parse(doc)
	e.must(err)
	return n
}

// same requires that two documents have the same canonical form.
func (e *env) same(what string, want, got *element) {
	if w, g := want.String(), got.String(); w != g {
		e.Fatalf("%s differs at %s", what, firstDifference(w, g))
	}
}

func (e *env) equal(what string, want, got any) {
	if want != got {
		e.Fatalf("%s: want %v, got %v", what, want, got)
	}
}

// refused requires an error of one type, as errors.As finds it, and returns it.
func refused[E error](e *env, err error) E {
	typed, ok := errors.AsType[E](err)
	if !ok {
		e.Fatalf("error %v (%T), want %T", err, err, typed)
	}
	return typed
}

func (e *env) notFound(err error, what string) {
	if found := refused[*tpox.NotFound](e, err); found.What != what {
		e.Fatalf("what was not found is the %s (%v), want the %s", found.What, found, what)
	}
}

func (e *env) conflict(err error, reason tpox.Reason) {
	if found := refused[*tpox.Conflict](e, err); found.Reason != reason {
		e.Fatalf("conflict by %s (%v), want %s", found.Reason, found, reason)
	}
}

// tooLarge requires a conflict that names the default limit of a customer's size.
func (e *env) tooLarge(err error) {
	e.conflict(err, tpox.CustomerLimit)
	if !strings.HasSuffix(err.Error(), " bytes, and none grows beyond 131072") {
		e.Fatalf("the detail does not name the limit: %v", err)
	}
}

func (e *env) invalid(err error) {
	found := refused[*tpox.Invalid](e, err)
	if len(found.Findings) == 0 {
		e.Fatalf("invalid, without a finding")
	}
	for _, f := range found.Findings {
		if f.Message == "" {
			e.Fatalf("a finding without a message: %+v", found.Findings)
		}
	}
}

func (e *env) order(id tpox.ID) *element {
	return e.got(e.s.GetOrder(e.Context(), id))
}

func (e *env) customer(id tpox.ID) *element {
	return e.got(e.s.GetCustomer(e.Context(), id))
}

func (e *env) account(id tpox.ID) *element {
	account, err := e.s.GetAccount(e.Context(), id)
	return e.got(account.Document, err)
}

func (e *env) security(symbol string) *element {
	return e.got(e.s.GetSecurity(e.Context(), symbol))
}

func (e *env) raw(doc []byte, err error) string { e.must(err); return string(doc) }

type ids = []tpox.ID

// A watch names documents and keys that a request must not change.
type watch struct {
	orders, customers, accounts ids
	symbols                     []string
}

// state returns everything that can be read of what is watched, as one text.
func (e *env) state(w watch) string {
	var b strings.Builder
	note := func(what string, key any) func([]byte, error) {
		return func(doc []byte, err error) {
			switch {
			case tpox.Is[*tpox.NotFound](err):
				fmt.Fprintf(&b, "%s %v: missing\n", what, key)
			case err != nil:
				e.Fatalf("reading %s %v: %v", what, key, err)
			default:
				fmt.Fprintf(&b, "%s %v: %s\n", what, key, doc)
			}
		}
	}
	for _, id := range w.orders {
		note("order", id)(e.s.GetOrder(e.Context(), id))
	}
	for _, id := range w.customers {
		note("customer", id)(e.s.GetCustomer(e.Context(), id))
		note("largest order of customer", id)(e.s.CustomerMaxOrder(e.Context(), id))
	}
	for _, id := range w.accounts {
		account, err := e.s.GetAccount(e.Context(), id)
		note("account", id)(append([]byte(account.Customer.String()+" "), account.Document...), err)
	}
	for _, symbol := range w.symbols {
		note("security", symbol)(e.s.GetSecurity(e.Context(), symbol))
	}
	if len(w.symbols) > 0 {
		for _, sector := range e.sectors() {
			all := tpox.Search{Sector: sector, PEMax: 1e13, YieldMin: -1}
			note("sector", sector)(e.s.SearchSecurities(e.Context(), all))
		}
	}
	return b.String()
}

// unchanged requires that f, whose requests are refused, changes nothing.
func (e *env) unchanged(w watch, f func()) {
	before := e.state(w)
	f()
	if after := e.state(w); after != before {
		e.Fatalf("something was changed: %s", firstDifference(before, after))
	}
}
