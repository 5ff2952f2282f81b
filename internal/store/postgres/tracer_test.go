package postgres

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// followed are the traced statements of contexts that have tracing.
type followed struct {
	mu    sync.Mutex
	ended []string
}

type followedKey struct{}

func (f *followed) begin(ctx context.Context, name string) func(error) {
	if ctx.Value(followedKey{}) == nil {
		return func(error) {}
	}
	return func(err error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if err != nil {
			name += " failed"
		}
		f.ended = append(f.ended, name)
	}
}

// Each statement of a transaction is reported once, by its name, in the context of the transaction.
func TestStore_Trace(t *testing.T) {
	_, d, server, database := tiny(t)
	var f followed
	s := opened(t, server.URL(database), Options{Trace: f.begin})
	ctx := context.WithValue(t.Context(), followedKey{}, true)
	order := d.AppendNewOrder(nil, 3, dataset.NewOrder{ID: 990004, Account: 104000000})
	get := func(id brokerage.ID) error { _, err := s.GetOrder(ctx, id); return err }
	insert := func() error { _, err := s.InsertOrder(ctx, now(), order); return err }
	traced := func() (all []string) { all, f.ended = f.ended, nil; return all }
	require.NoError(t, get(103282))
	require.Equal(t, []string{"get_order"}, traced())
	require.Error(t, get(5))
	require.Equal(t, []string{"get_order"}, traced(), "finding nothing is no failure")
	require.NoError(t, insert())
	require.Equal(t, []string{"insert_order"}, traced())
	require.Error(t, insert())
	require.Equal(t, []string{"insert_order failed"}, traced())
	require.NoError(t, errOf(s.Trade(ctx, now(), 104000000, buy(d.Symbol(1)))))
	require.Equal(t, []string{"begin", "lock_customer_of_account", "get_security", "replace_customer", "commit"}, traced())
}
