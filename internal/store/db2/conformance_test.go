//go:build db2

package db2

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/db2/db2test"
	"brokerage/internal/store/storetest"
)

// few is a dataset that the bench can load quickly.
var few = sync.OnceValue(func() *dataset.Dataset {
	return dataset.NewOf(1, dataset.Counts{Securities: 40, Customers: 24, Orders: 80})
})

var loaded struct {
	sync.Mutex
	bench *db2test.Bench
}

// onBench returns a database of the bench with the dataset few.
func onBench(t testing.TB) *db2test.Bench {
	t.Helper()
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.bench == nil {
		b := db2test.Start(t)
		s := openBench(t, b, Settings{})
		require.NoError(t, s.LoadDataset(t.Context(), few(), nil))
		require.NoError(t, s.Close())
		loaded.bench = b
	}
	return loaded.bench.Clone(t)
}

// openBench opens the store as the service does.
func openBench(t testing.TB, b *db2test.Bench, settings Settings) *Store {
	t.Helper()
	s, err := Open(t.Context(), b.URL(), settings)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// conform runs the suite that every store passes. reopen opens the database of a closed store again.
func conform(
	t *testing.T, open func(testing.TB, *dataset.Dataset, brokerage.Rules) *Store,
	reopen func(testing.TB, *Store) *Store,
) {
	t.Helper()
	storetest.Run(t, storetest.Options{
		Dataset: few(),
		Open: func(t testing.TB, d *dataset.Dataset, rules brokerage.Rules) brokerage.Store {
			return open(t, d, rules)
		},
		Reopen: func(t testing.TB, s brokerage.Store) brokerage.Store {
			require.NoError(t, s.Close())
			return reopen(t, s.(*Store))
		},
	})
}

// The suite on the bench: nothing of it was run on Db2 itself.
func TestStore(t *testing.T) {
	benches := make(map[*Store]*db2test.Bench)
	open := func(t testing.TB, b *db2test.Bench, rules brokerage.Rules) *Store {
		s := openBench(t, b, Settings{Rules: rules, Pool: 8})
		benches[s] = b
		return s
	}
	conform(t,
		func(t testing.TB, _ *dataset.Dataset, rules brokerage.Rules) *Store {
			return open(t, onBench(t), rules)
		},
		func(t testing.TB, s *Store) *Store { return open(t, benches[s], s.settings.Rules) })
}
