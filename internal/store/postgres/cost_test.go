package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/storetest"
)

// Every transaction, and with it every statement on documents and every trigger, costs in proportion to the size of the
// document, here and in the server.
func TestStore_LinearCost(t *testing.T) {
	s, d, _, _ := tiny(t)
	storetest.LinearCost(t, s, d, func() (pids []int) {
		rows, err := s.pool.Query(t.Context(), "SELECT array_agg(pid) FROM pg_stat_activity WHERE datname = current_database()")
		require.NoError(t, err)
		defer rows.Close()
		require.True(t, rows.Next())
		require.NoError(t, rows.Scan(&pids))
		return pids
	})
}
