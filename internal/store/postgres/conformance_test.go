package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

func TestStore(t *testing.T) { conforms(t, "") }

// Partitions behave like the shards of a cluster: a unique key holds within one, and the plan of a statement shows
// which it visits.
func TestStore_Partitioned(t *testing.T) { conforms(t, "&layout=partitioned&shards=4") }

func TestStore_Pure(t *testing.T) { conforms(t, "&mode=pure") }

func conforms(t *testing.T, layout string) {
	storetest.Run(t, storetest.Options{
		Parallel: true,
		Open: func(t testing.TB, d *dataset.Dataset, rules tpox.Rules) tpox.Store {
			return opened(t, loaded(t, d, layout)+layout, Options{Rules: rules})
		},
		Reopen: func(t testing.TB, s tpox.Store) tpox.Store {
			require.NoError(t, s.Close())
			return opened(t, s.(*Store).pool.Config().ConnString(), s.(*Store).options)
		},
		RaiseLeases: func(t testing.TB, s tpox.Store, next int64) {
			require.NoError(t, raiseLeases(t.Context(), s.(*Store).pool, next, next, next))
		},
	})
}

// Every transaction, and so every statement on documents and every trigger, costs in proportion to the size of the
// document, in the service and in the server.
func TestStore_LinearCost(t *testing.T) {
	_, d, server, database := tiny(t)
	s := opened(t, server.URL(database), Options{Rules: tpox.Rules{MaxCustomer: 1 << 20}})
	storetest.LinearCost(t, s, d, func() []int {
		return value[[]int](t, s.pool, "SELECT array_agg(pid) FROM pg_stat_activity "+
			"WHERE datname = current_database() AND backend_type = 'client backend'") // no autovacuum, which comes and goes
	})
}

// The accounts of a customer are found by their index, also in a table that is small when a connection first plans.
func TestAccounts_ByIndex(t *testing.T) {
	_, d, server, database := tiny(t)
	s := opened(t, server.URL(database), Options{Pool: 1}) // which is asked to flush its own counts
	scans := func() int {
		_, err := s.pool.Exec(t.Context(), "SELECT pg_stat_force_next_flush()")
		require.NoError(t, err)
		return value[int](t, s.pool, "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'accounts'")
	}
	_, err := s.pool.Exec(t.Context(), "ANALYZE brokerage.accounts")
	require.NoError(t, err)
	insertAndDelete := func(many int64) {
		const id = 990_000
		accounts := make([]int64, many)
		for i := range accounts {
			accounts[i] = 990_000_000 + int64(i)
		}
		insertCustomer(t, s, customer(d, id, accounts...), false)
		require.NoError(t, s.DeleteCustomer(t.Context(), now(), id))
	}
	insertAndDelete(10) // often enough for a plan that is kept
	before := scans()
	insertAndDelete(200)
	require.Less(t, scans()-before, 10)
}

// Two instances on one database, with connections cut at random and one instance restarted: each trade counts once.
func TestOnce_Cut(t *testing.T) {
	s, d, server, database := tiny(t)
	link := chaostest.NewProxy(t, "unix", server.Socket())
	chaostest.Once(t, chaostest.Database{
		Generator: d,
		Link:      link,
		Open: func(t testing.TB) tpox.Store {
			return opened(t, server.URLAt(link.Addr().String(), database), Options{})
		},
	})
	require.Empty(t, verified(t, s))
}
