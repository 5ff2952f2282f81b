package postgres

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// followed are the statements that were traced, of the contexts that ask for it.
type followed struct {
	mu   sync.Mutex
	told []string
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
		f.told = append(f.told, name)
	}
}

// Each statement of a transaction is reported once, by its name, in the context of the transaction.
func TestStore_Trace(t *testing.T) {
	_, d, server, database := tiny(t)
	var f followed
	s := opened(t, server.URL(database), Options{Trace: f.begin})
	ctx := context.WithValue(t.Context(), followedKey{}, true)
	w := now()
	order := d.AppendNewOrder(nil, 3, dataset.NewOrder{ID: 990004, Account: 104000000})
	for _, c := range []struct {
		name, statements string
		do               func() error
	}{
		{"LookUp", "get_order", func() error { _, err := s.GetOrder(ctx, 103282); return err }},
		{"NotFound", "get_order", func() error { _, err := s.GetOrder(ctx, 5); require.Error(t, err); return nil }},
		{"Insert", "insert_order", func() error { _, err := s.InsertOrder(ctx, w, order); return err }},
		{"Insert/Again", "insert_order failed", func() error {
			_, err := s.InsertOrder(ctx, w, order)
			require.Error(t, err)
			return nil
		}},
		{"Trade", "", func() error {
			trade := brokerage.Trade{Side: brokerage.Buy, Symbol: d.Symbol(1), Quantity: "1", Now: w.Now}
			_, err := s.Trade(ctx, w, 104000000, trade)
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.told = nil
			require.NoError(t, c.do())
			if c.statements != "" {
				require.Equal(t, c.statements, strings.Join(f.told, ", "))
				return
			}
			require.Equal(t, "begin", f.told[0])
			require.Equal(t, "commit", f.told[len(f.told)-1])
			require.Greater(t, len(f.told), 3)
			require.NotContains(t, f.told, "other")
		})
	}
}
