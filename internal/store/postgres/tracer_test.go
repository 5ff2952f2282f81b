package postgres

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// Each statement of a transaction is reported once, by its name, in the context of the transaction, with the address of
// its server.
func TestStore_Trace(t *testing.T) {
	_, d, server, database := tiny(t)
	var tracer storetest.Tracer
	s := opened(t, server.URL(database), Options{
		Trace: func(ctx context.Context, name string, at net.Addr) func(error) {
			require.Contains(t, at.String(), "/.s.PGSQL.")
			return tracer.Begin(ctx, name, at)
		},
	})
	ctx := storetest.Traced(t.Context())
	order := d.AppendNewOrder(nil, 3, dataset.NewOrder{ID: 990004, Account: 104000000})
	get := func(id tpox.ID) error { _, err := s.GetOrder(ctx, id); return err }
	insert := func() error { _, err := s.InsertOrder(ctx, now(), order); return err }
	require.NoError(t, get(103282))
	require.Equal(t, []string{"get_order"}, tracer.Take())
	require.Error(t, get(5))
	require.Equal(t, []string{"get_order"}, tracer.Take(), "finding nothing is no failure")
	require.NoError(t, insert())
	require.Equal(t, []string{"begin", "insert_order", "insert_account_order", "commit"}, tracer.Take())
	require.Error(t, insert())
	require.Equal(t, []string{"begin", "insert_order failed", "rollback"}, tracer.Take())
	require.NoError(t, errOf(s.Trade(ctx, now(), 104000000, buy(d.Symbol(1)))))
	want := []string{"begin", "lock_customer_of_account", "get_security", "update_customer", "commit"}
	require.Equal(t, want, tracer.Take())
}
