package sqlite

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
)

type tracedKey struct{}

// Each statement of a transaction begins and ends in the context of the transaction, although another goroutine writes.
func TestStore_Trace(t *testing.T) {
	var mu sync.Mutex
	var events []string
	event := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, text)
	}
	s := opened(t, tinyDatabase(t), Options{Trace: func(ctx context.Context, name string) func(error) {
		if ctx.Value(tracedKey{}) == nil {
			return func(error) {}
		}
		event(name)
		return func(err error) { event(errors.Join(errors.New("end"), err).Error()) }
	}})
	ctx := context.WithValue(t.Context(), tracedKey{}, true)
	const newOrder, account = 990004, 104000000
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
			_, err := s.InsertOrder(ctx, now(), order(newOrder))
			return err
		}},
		{"Delete", []string{"size_order", "delete_order", "commit"}, func() error {
			return s.DeleteOrder(ctx, now(), newOrder)
		}},
		{"Trade", []string{"customer_of_account", "get_quote", "replace_customer", "commit"}, func() error {
			_, err := s.Trade(ctx, now(), account, buyOne(account))
			return err
		}},
		{"Untraced", nil, func() error { _, err := s.GetOrder(t.Context(), 103282); return err }},
	} {
		t.Run(c.name, func(t *testing.T) {
			events = nil
			require.NoError(t, c.do())
			var want []string
			for _, name := range c.statements {
				want = append(want, name, "end")
			}
			require.Equal(t, want, events)
		})
	}
}
