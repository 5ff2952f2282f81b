package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

type base = tpox.Store

// mutants are stores that are broken on purpose, by five kinds of mistakes, with a case that must fail on each.
var mutants = []struct {
	name, testCase string
	wrap           func(base) base
}{
	{"LosesUpdates", "Concurrency/Trades", func(s base) base { return losesUpdates{s} }},
	{"WrongBound", "SearchSecurities/Bounds", func(s base) base { return wrongBound{s} }},
	{"ForgetsKeys", "Once/DoneOnce", func(s base) base { return forgetsKeys{s} }},
	{"SwallowsRefusals", "DeleteOrder/Deletes", func(s base) base { return swallowsRefusals{s} }},
	{"UndeclaredError", "GetOrder/SecondOrder", func(s base) base { return undeclaredError{s} }},
}

// losesUpdates computes a trade outside of any transaction.
type losesUpdates struct{ base }

func (s losesUpdates) Trade(ctx context.Context, w tpox.Write, account tpox.ID, t tpox.Trade) ([]byte, error) {
	held, err := s.GetAccount(ctx, account)
	if err != nil {
		return nil, err
	}
	before, err := s.GetCustomer(ctx, held.Customer)
	if err != nil {
		return nil, err
	}
	security, err := s.GetSecurity(ctx, t.Symbol)
	if err != nil {
		return nil, err
	}
	changed, answer, err := t.Apply(tpox.DefaultRules, before, account, tpox.QuoteOf(security))
	if err != nil {
		return nil, err
	}
	return answer, s.ReplaceCustomer(ctx, w, held.Customer, changed, false, nil)
}

// wrongBound includes the upper bound of a search.
type wrongBound struct{ base }

func (s wrongBound) SearchSecurities(ctx context.Context, q tpox.Search) ([]byte, error) {
	q.PEMax++
	return s.base.SearchSecurities(ctx, q)
}

// forgetsKeys ignores the idempotency keys of insert_order.
type forgetsKeys struct{ base }

func (s forgetsKeys) InsertOrder(ctx context.Context, w tpox.Write, doc []byte) (tpox.ID, error) {
	w.Once = nil
	return s.base.InsertOrder(ctx, w, doc)
}

// swallowsRefusals reports the deletion of a missing order as done.
type swallowsRefusals struct{ base }

func (s swallowsRefusals) DeleteOrder(ctx context.Context, w tpox.Write, id tpox.ID) error {
	err := s.base.DeleteOrder(ctx, w, id)
	if tpox.Is[*tpox.NotFound](err) {
		return nil
	}
	return err
}

// undeclaredError returns errors of a type that is not the domain's.
type undeclaredError struct{ base }

func (s undeclaredError) GetOrder(ctx context.Context, id tpox.ID) ([]byte, error) {
	doc, err := s.base.GetOrder(ctx, id)
	if err != nil {
		err = errors.New(err.Error())
	}
	return doc, err
}

func TestMutants(t *testing.T) {
	testenv.Long(t)
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			require.Empty(t, outcome(t, m.testCase, func(s base) base { return s }), "a store that is not broken")
			var failures []string
			for range 5 { // concurrent trades may miss the fault
				if failures = outcome(t, m.testCase, m.wrap); len(failures) > 0 {
					break
				}
			}
			require.NotEmpty(t, failures, "the case lets the broken store through")
		})
	}
}

// outcome runs a case on the store that wrap makes of a loaded one, and returns the failures.
func outcome(t *testing.T, name string, wrap func(base) base) []string {
	t.Helper()
	all := cases()
	i := slices.IndexFunc(all, func(c testCase) bool { return c.name == name })
	require.GreaterOrEqual(t, i, 0, "no case is named %s", name)
	path := sqlitetest.Tiny(t)
	open := func() base {
		s, err := sqlite.Open(context.Background(), path, store.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { _ = s.Close() }) // a case may have closed it
		return s
	}
	s := open()
	e := &env{fixture: newFixture(nil), s: wrap(s)}
	e.reopen = func() base {
		require.NoError(t, s.Close())
		s = open()
		return wrap(s)
	}
	return observe(t, func(r T) {
		e.T = r
		all[i].run(e)
	})
}

// A recorder is a test that records failures instead of failing.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures []string
}

// observe runs f as a separate test and returns its failures.
func observe(t *testing.T, f func(T)) []string {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.Errorf("panic: %v", p)
			}
		}()
		f(r)
	}()
	<-done
	return r.failures
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Error(args ...any)                 { r.Errorf("%s", fmt.Sprint(args...)) }
func (r *recorder) Fail()                             { r.Errorf("failed") }
func (r *recorder) FailNow()                          { r.Fail(); runtime.Goexit() }
func (r *recorder) Fatal(args ...any)                 { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); runtime.Goexit() }

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.failures) > 0
}
