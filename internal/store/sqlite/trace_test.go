package sqlite

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// Each statement of a transaction is traced in the context of the transaction, although another goroutine writes.
func TestStore_Trace(t *testing.T) {
	var tracer storetest.Tracer
	s := opened(t, tinyDatabase(t), store.Options{Trace: tracer.Begin})
	ctx := storetest.Traced(t.Context())
	const account = 104000000
	for _, c := range []struct {
		name       string
		statements []string
		do         func() error
	}{
		{"NotFound", []string{"get_order"}, func() error { _, err := s.GetOrder(ctx, 5); require.Error(t, err); return nil }},
		{"Search", []string{"search_securities"}, func() error {
			_, err := s.SearchSecurities(ctx, tpox.Search{Sector: "Energy"})
			return err
		}},
		{"Trade", []string{"customer_of_account", "get_quote", "replace_customer", "commit"}, func() error {
			_, err := s.Trade(ctx, now(), account, buyOne(account))
			return err
		}},
		{"Untraced", nil, func() error { _, err := s.GetOrder(t.Context(), 103282); return err }},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, c.do())
			require.Equal(t, c.statements, tracer.Take())
		})
	}
}
