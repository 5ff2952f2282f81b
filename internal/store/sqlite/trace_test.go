package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// followed are the statements that were traced, of the context that asks.
type followed struct {
	mu    sync.Mutex
	names []string
	errs  int
}

type followedKey struct{}

func (f *followed) begin(ctx context.Context, name string) func(error) {
	if ctx.Value(followedKey{}) == nil {
		return func(error) {}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names = append(f.names, name)
	return func(err error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.names = append(f.names, "end")
		if err != nil {
			f.errs++
		}
	}
}

// Each statement of a transaction begins and ends in the context of the transaction, although another goroutine writes.
func TestStore_Trace(t *testing.T) {
	var f followed
	text, err := os.ReadFile(tinyDatabase(t))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "b.db")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	s := opened(t, path, Options{Trace: f.begin})
	ctx := context.WithValue(t.Context(), followedKey{}, true)
	d := generator(t, "tiny")

	for _, c := range []struct {
		name       string
		statements []string
		do         func() error
	}{
		{"Query", []string{"get_order"}, func() error { _, err := s.GetOrder(ctx, 103282); return err }},
		{"NotFound", []string{"get_order"}, func() error { _, err := s.GetOrder(ctx, 5); require.Error(t, err); return nil }},
		{"Search", []string{"search_securities"}, func() error {
			_, err := s.SearchSecurities(ctx, brokerage.Search{Sector: "Energy"})
			return err
		}},
		{"Insert", []string{"insert_order", "commit"}, func() error {
			_, err := s.InsertOrder(ctx, now(), d.AppendNewOrder(nil, 3, dataset.NewOrder{ID: 990004, Account: 104000000}))
			return err
		}},
		{"Delete", []string{"delete_order", "commit"}, func() error { return s.DeleteOrder(ctx, now(), 990004) }},
		{"Trade", []string{"customer_of_account", "get_quote", "replace_customer", "commit"}, func() error {
			_, err := s.Trade(
				ctx, now(), 104000000, brokerage.Trade{Side: brokerage.Buy, Symbol: d.Symbol(1), Quantity: "1", Now: now().Now},
			)
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.names = nil
			require.NoError(t, c.do())
			var want []string
			for _, name := range c.statements {
				want = append(want, name, "end")
			}
			require.Equal(t, want, f.names)
		})
	}
	require.Zero(t, f.errs)

	f.names = nil
	_, err = s.GetOrder(t.Context(), 103282)
	require.NoError(t, err)
	require.Empty(t, slices.DeleteFunc(f.names, func(name string) bool { return name == "" }))
}
