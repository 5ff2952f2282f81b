package postgres

import (
	"testing"

	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// The cost of the largest document is bounded for each call that reads or writes it, in the service and in the server.
func TestStore_BoundedCost(t *testing.T) {
	testenv.Long(t)
	_, d, server, database := tiny(t)
	s := opened(t, server.URL(database), Options{Rules: tpox.Rules{MaxCustomer: 1 << 20}}) // for one account more
	storetest.BoundedCost(t, s, d, func() []int {
		return value[[]int](t, s.pool, "SELECT array_agg(pid) FROM pg_stat_activity "+
			"WHERE datname = current_database() AND backend_type = 'client backend'") // no autovacuum, which comes and goes
	})
}
