// Package storetest is the conformance suite that every store with a database runs, unchanged.
//
// A file for each transaction holds its cases, the reference that they compare with, and one call of it for the cases
// that try every transaction. Each case has a fresh store. The reference shares no code with the service: plain trees,
// fractions, and loops over all documents. Documents are compared in a canonical form, which ignores prefixes, the
// order of attributes, comments, and white space between elements.
//
// The package's own tests show that cases can fail, on stores that are broken on purpose.
package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// Options describe a store to the suite.
type Options struct {
	// Open returns a store for one case that is loaded with d, and closes it by t.Cleanup. Zero rules are
	// tpox.DefaultRules.
	Open func(t testing.TB, d *dataset.Dataset, rules tpox.Rules) tpox.Store
	// Reopen closes a store and opens it again with its content.
	Reopen func(t testing.TB, s tpox.Store) tpox.Store
	// RaiseLeases makes leases of all kinds begin at next, as a load of documents with higher ids does. Without it, the
	// rest of the case that needs it is skipped.
	RaiseLeases func(t testing.TB, s tpox.Store, next int64)
	// Dataset is loaded into the store of each case; nil is the scale tiny.
	Dataset *dataset.Dataset
	// Parallel says that cases may run in parallel, each on its store.
	Parallel bool
}

// Run runs the suite.
func Run(t *testing.T, o Options) {
	f := newFixture(o.Dataset)
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			if o.Parallel {
				t.Parallel()
			}
			s := o.Open(t, f.d, c.rules)
			c.run(&env{T: t, fixture: f, s: s, reopen: func() tpox.Store {
				s = o.Reopen(t, s)
				return s
			}, raiseLeases: func(next int64) {
				if o.RaiseLeases == nil {
					t.Skip("the suite was given no RaiseLeases")
				}
				o.RaiseLeases(t, s, next)
			}})
		})
	}
}

// T is the part of a test that a case needs. *testing.T implements it, and so does *rapid.T.
type T interface {
	rapid.TB
	Context() context.Context
}

// A testCase is a case of the suite, with a name such as GetOrder/Answer.
type testCase struct {
	name  string
	run   func(*env)
	rules tpox.Rules // zero: the default
}

// A transaction describes one transaction, or another operation of a store, for the suite.
type transaction struct {
	cases []testCase
	call  func(e *env) call
}

// A call is one call of a transaction, which succeeds.
type call struct {
	uses   watch // what it reads or changes
	writes bool
	do     func(context.Context, tpox.Write) (string, error)
}

// answer returns a document or an id as text.
func answer[A []byte | tpox.ID](a A, err error) (string, error) {
	return fmt.Sprintf("%s", a), err
}

// reading returns the call of a query of one parameter.
func reading[P any, A []byte | tpox.ID](uses watch, query func(context.Context, P) (A, error), parameter P) call {
	return call{uses, false, func(ctx context.Context, _ tpox.Write) (string, error) {
		return answer(query(ctx, parameter))
	}}
}

// writing returns the call of a write of two parameters.
func writing[P, Q any, A []byte | tpox.ID](
	uses watch, do func(context.Context, tpox.Write, P, Q) (A, error), p P, q Q,
) call {
	return call{uses, true, func(ctx context.Context, w tpox.Write) (string, error) {
		return answer(do(ctx, w, p, q))
	}}
}

// A Call is one call of one of the 17 transactions.
type Call struct {
	Name string
	Do   func(context.Context) error
}

// Calls returns a call of each of the 17, and stores the documents that they need. The store s must be loaded with d,
// and not have been given to Calls before. A call succeeds the first time.
func Calls(t testing.TB, s tpox.Store, d *dataset.Dataset) (list []Call) {
	t.Helper()
	e := &env{T: t, fixture: newFixture(d), s: s}
	for i, transaction := range transactions {
		c := transaction.call(e)
		list = append(list, Call{tpox.Transactions[i].Name, func(ctx context.Context) error {
			return errOf(c.do(ctx, plain()))
		}})
	}
	return list
}

func done(err error) (string, error) { return "", err }

// operations are further operations of a store that cases try besides the 17.
var operations = []*transaction{getCustomer, getAccount, replaceCustomer, replaceSecurity, lease}

// all returns the 17 and the other operations.
func all() []*transaction { return slices.Concat(transactions[:], operations) }

func cases() (list []testCase) {
	for _, t := range all() {
		list = append(list, t.cases...)
	}
	return slices.Concat(list, accountCases, tradeCases, onceCases, matchCases, storeCases, concurrencyCases, oddCases,
		contextCases, modelCases)
}

// An env gives a case its store, its fixture and the test to report to.
type env struct {
	T
	*fixture
	s      tpox.Store
	reopen func() tpox.Store

	raiseLeases func(next int64)
}
