//go:build db2

package db2

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/db2/db2test"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// few is a dataset that the stand-in can load quickly.
var few = sync.OnceValue(func() *dataset.Dataset {
	return dataset.NewOf(1, dataset.Counts{Securities: 40, Customers: 24, Orders: 80})
})

var loaded struct {
	sync.Mutex
	bench *db2test.Bench
}

// onBench returns a database of the stand-in with the dataset few.
func onBench(t testing.TB) *db2test.Bench {
	t.Helper()
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.bench == nil {
		b := db2test.Start(t)
		s := openBench(t, b, Options{})
		require.NoError(t, s.LoadDataset(t.Context(), few(), nil))
		require.NoError(t, s.Close())
		loaded.bench = b
	}
	return loaded.bench.Clone(t)
}

// openBench opens the store as the service does.
func openBench(t testing.TB, b *db2test.Bench, settings Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), b.URL(), settings)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// The suite that every store passes, on the stand-in: none of it was run on Db2 itself.
func TestStore(t *testing.T) {
	benches := make(map[*Store]*db2test.Bench)
	open := func(t testing.TB, _ *dataset.Dataset, rules tpox.Rules) tpox.Store {
		b := onBench(t)
		s := openBench(t, b, Options{Rules: rules, Pool: 8})
		benches[s] = b
		return s
	}
	storetest.Run(t, storetest.Options{
		Dataset: few(),
		Open:    open,
		Reopen: func(t testing.TB, s tpox.Store) tpox.Store {
			require.NoError(t, s.Close())
			b := benches[s.(*Store)]
			again := openBench(t, b, Options{Rules: s.(*Store).settings.Rules, Pool: 8})
			benches[again] = b
			return again
		},
		RaiseLeases: raiseAllLeases,
	})
}
