package postgres

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

func TestStore(t *testing.T) {
	conforms(t, true, func(t testing.TB, d *dataset.Dataset, o Options) *Store { return opened(t, loaded(t, d, ""), o) })
}

func TestStore_Pure(t *testing.T) {
	testenv.Long(t)
	conforms(t, true, func(t testing.TB, d *dataset.Dataset, o Options) *Store { return opened(t, loaded(t, d, pure), o) })
}

func TestStore_Partitions(t *testing.T) {
	testenv.Long(t)
	conforms(t, true, func(t testing.TB, d *dataset.Dataset, o Options) *Store { return onPartitions(t, d, 4, o) })
}

// The whole suite on a cluster of three nodes, each case in a database that was emptied.
func TestStore_Citus(t *testing.T) {
	cluster := pgtest.StartCluster(t, 2)
	database := cluster.Database(t)
	opened(t, cluster.URL(database, 0)+distribute, Options{})
	conforms(t, false, func(t testing.TB, d *dataset.Dataset, o Options) *Store {
		owner := opened(t, cluster.URL(database, 0), Options{})
		require.NoError(t, owner.Empty(t.Context()))
		require.NoError(t, owner.LoadDataset(t.Context(), d, nil))
		require.NoError(t, owner.Close())
		return opened(t, cluster.URL(database, 0, 1, 2), o)
	})
	for _, finding := range verified(t, opened(t, cluster.URL(database, 1), Options{})) {
		// The last case inserts invalid orders.
		require.Contains(t, finding, "the document is not valid")
	}
}

// conforms runs the conformance suite. If parallel is set, open must give each case a database of its own.
func conforms(t *testing.T, parallel bool, open func(testing.TB, *dataset.Dataset, Options) *Store) {
	storetest.Run(t, storetest.Options{
		Parallel: parallel,
		Open: func(t testing.TB, d *dataset.Dataset, rules tpox.Rules) tpox.Store {
			return open(t, d, Options{Rules: rules})
		},
		Reopen: func(t testing.TB, s tpox.Store) tpox.Store {
			require.NoError(t, s.Close())
			return openedWith(t, s.(*Store).pool.Config().ConnString(), s.(*Store).options, s.(*Store).hidden)
		},
		RaiseLeases: func(t testing.TB, s tpox.Store, next int64) {
			exec(t, s.(*Store).pool, "UPDATE brokerage.leases SET next = greatest(next, $1)", next)
		},
	})
}

// Writes of large documents wait for their turn, and others do not wait for them.
func TestStore_LargeWrites(t *testing.T) {
	s, d, _, _ := tiny(t)
	const language = "<Language>Portuguese</Language>"
	more := "<Languages>" + strings.Repeat(language, store.SmallBytes/len(language))
	large := []byte(strings.Replace(string(customer(d, 1, 2)), "<Languages>", more, 1))
	leave, err := s.large.Enter(t.Context(), store.LargeBytes)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, errOf(s.InsertCustomer(ctx, now(), large, true)), context.DeadlineExceeded)
	insertCustomer(t, s, customer(d, 3, 4))
	leave()
	insertCustomer(t, s, large)
}

// Two instances on one database, with connections cut at random and one instance restarted: each trade counts once.
func TestOnce_Cut(t *testing.T) {
	testenv.Long(t)
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

func TestClose(t *testing.T) {
	s, d, _, _ := tiny(t)
	calls := storetest.Calls(t, s, d)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	for _, call := range calls {
		require.True(t, tpox.Is[*tpox.Unavailable](call.Do(t.Context())), call.Name)
	}
}
