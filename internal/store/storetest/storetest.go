// Package storetest is the conformance suite that every store runs, unchanged.
//
// A file for each transaction holds its cases, the reference that they compare with, and one call of it for the cases
// that try every transaction. Each case has a fresh store. The reference shares no code with the service: plain trees,
// fractions, and loops over all documents. Documents are compared in a canonical form, in which prefixes and white
// space between elements may differ, and nothing else.
//
// A store that cannot pass a case names it in Options.Exceptions with a reason; an exception that is not needed fails.
// The package's own tests show that cases can fail, on stores that are broken on purpose.
package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/guard"
)

// Options describe a store to the suite.
type Options struct {
	// Dataset is loaded into the store of each case; nil is the scale tiny.
	Dataset *dataset.Dataset

	// OpenWith opens a store with rules other than brokerage.DefaultRules.
	OpenWith func(t testing.TB, d *dataset.Dataset, rules brokerage.Rules) brokerage.Store

	// Reopen closes a store and opens it again with its content.
	Reopen func(t testing.TB, s brokerage.Store) brokerage.Store

	// Exceptions are the cases that this store does not pass, with the reasons.
	Exceptions map[string]string
}

// Run runs the suite. open returns a store that is loaded with d, for one case, and closes it by t.Cleanup.
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

// guarded returns a store that panics where a method returns an error that it does not declare.
func guarded(s brokerage.Store) brokerage.Store {
	if s == nil {
		return nil
	}
	return guard.New(s, guard.Options{Strict: true})
}

// T is what a case needs of a test. It is smaller than testing.TB, which no other type can implement, so that the suite
// can be tested.
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

// A transaction is what the suite knows of one transaction, or of another operation of a store.
type transaction struct {
	cases []testCase
	call  func(e *env) call
}

// A call is one call of a transaction that succeeds, on documents that were made for it.
type call struct {
	uses  watch                                 // what it reads or changes
	read  func(context.Context) (string, error) // nil for one that takes a Write
	write func(context.Context, brokerage.Write) (string, error)
}

// answer returns a document or an id as text.
func answer[A []byte | brokerage.ID](a A, err error) (string, error) {
	return fmt.Sprintf("%s", a), err
}

// A Call is one call of one of the 17 transactions, on documents that were made for it.
type Call struct {
	Name string
	Do   func(context.Context) error
}

// Calls makes the documents for a call of each of the 17, in a store that is loaded with d and was not given to Calls
// before. A call succeeds the first time.
func Calls(t testing.TB, s brokerage.Store, d *dataset.Dataset) (list []Call) {
	t.Helper()
	e := &env{T: t, fixture: newFixture(d), s: s}
	for i, transaction := range transactions {
		c := transaction.call(e)
		list = append(list, Call{brokerage.Transactions[i].Name, func(ctx context.Context) (err error) {
			if c.read != nil {
				_, err = c.read(ctx)
			} else {
				_, err = c.write(ctx, plain())
			}
			return err
		}})
	}
	return list
}

func done(err error) (string, error) { return "", err }

//go:generate go run brokerage/internal/brokerage/lists transaction

// This does not compile when transactions.go was generated from another number of transactions.
var _ [len(brokerage.Transactions)]*transaction = transactions

// operations are what a store does beside the 17.
var operations = []*transaction{getCustomer, customerOf, replaceCustomer, replaceSecurity, lease}

// all returns the 17 and the other operations.
func all() []*transaction { return slices.Concat(transactions[:], operations) }

func cases() (list []testCase) {
	for _, t := range all() {
		list = append(list, t.cases...)
	}
	return slices.Concat(list, tradeCases, onceCases, matchCases, storeCases, concurrencyCases, oddCases, contextCases,
		modelCases)
}

// An env gives a case its store, its fixture and the test to report to.
type env struct {
	T
	*fixture
	s      brokerage.Store
	reopen func() brokerage.Store
}

// conform runs a case, or, where it is excepted, tests that it fails.
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
