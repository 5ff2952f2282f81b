package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

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
	require.EqualError(e, err, fmt.Sprintf("account %d exists already", account))
}

func (e *env) reopened() { e.s = e.reopen() }

// now is the time of writes. It is in a zone in which the date differs from that in UTC: a missing conversion shows.
var now = time.Date(2026, 3, 4, 1, 2, 3, 999_000_000, time.FixedZone("", 5*60*60+30*60))

func plain() tpox.Write { return tpox.Write{Now: now} }

func once(key, request string) tpox.Write {
	return tpox.Write{Now: now, Once: &tpox.Once{
		Client: "client", Key: key, Hash: sha256.Sum256([]byte(request)), Expires: now.Add(time.Hour),
	}}
}

func (e *env) must(err error) { require.NoError(e, err) }

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
		require.Fail(e, what+" differs at "+firstDifference(w, g))
	}
}

func (e *env) equal(what string, want, got any) { require.Equal(e, want, got, what) }

// refused requires an error of one type, as errors.As finds it, and returns it.
func refused[E error](e *env, err error) (typed E) {
	require.ErrorAs(e, err, &typed)
	return typed
}

func (e *env) notFound(err error, what string) {
	require.Equal(e, what, refused[*tpox.NotFound](e, err).What, "%v", err)
}

func (e *env) conflict(err error, reason tpox.Reason) {
	require.Equal(e, reason, refused[*tpox.Conflict](e, err).Reason, "%v", err)
}

// tooLarge requires a conflict that names the default limit of a customer's size.
func (e *env) tooLarge(err error) {
	e.conflict(err, tpox.CustomerLimit)
	require.Regexp(e, " bytes, more than the limit of 131072$", err.Error())
}

func (e *env) invalid(err error) {
	found := refused[*tpox.Invalid](e, err)
	require.NotEmpty(e, found.Findings)
	for _, f := range found.Findings {
		require.NotEmpty(e, f.Message)
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

// A watch names documents that are compared before and after requests which must not change them.
type watch struct {
	orders, customers, accounts ids
	symbols                     []string
}

// state returns the watched documents, with largest orders and searches that depend on them, as one text.
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

// unchanged requires that f changes nothing of what is watched.
func (e *env) unchanged(w watch, f func()) {
	before := e.state(w)
	f()
	if after := e.state(w); after != before {
		require.Fail(e, "something was changed: "+firstDifference(before, after))
	}
}
