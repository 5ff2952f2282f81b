package postgres

import (
	"testing"

	"brokerage/internal/store/storetest"
)

// Every transaction, and with it every statement on documents and every trigger, costs in proportion to the size of the
// document, here and in the server.
func TestStore_LinearCost(t *testing.T) {
	s, d, _, _ := tiny(t)
	storetest.LinearCost(t, s, d, func() (pids []int) {
		scan(t, s.pool, []any{&pids}, "SELECT array_agg(pid) FROM pg_stat_activity WHERE datname = current_database()")
		return pids
	})
}
