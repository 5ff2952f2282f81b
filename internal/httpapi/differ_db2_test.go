//go:build db2

package httpapi

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/db2/db2test"
	"brokerage/internal/store/guard"
	"brokerage/internal/store/sqlite"
)

// The stand-in for Db2 is slow, so the dataset is small.
func TestDiffer_Db2(t *testing.T) {
	few := dataset.NewOf(1, dataset.Counts{Securities: 40, Customers: 24, Orders: 80})
	loaded := db2test.StartServer(t).Database(t)
	openBench := func(t testing.TB, b *db2test.Bench) *db2.Store {
		s, err := db2.Open(t.Context(), b.URL(), db2.Options{})
		require.NoError(t, err)
		return s
	}
	s := openBench(t, loaded)
	require.NoError(t, s.LoadDataset(t.Context(), few, nil))
	require.NoError(t, s.Close())
	differ(t, func(t testing.TB) twins {
		one, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "few.db"), sqlite.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, one.Close()) })
		require.NoError(t, one.LoadDataset(t.Context(), few, nil))
		two := openBench(t, loaded.Clone(t))
		t.Cleanup(func() { require.NoError(t, two.Close()) })
		return twins{
			one: serverOf(t, guard.New(one, guard.Options{Strict: true}), Options{}),
			two: serverOf(t, guard.New(two, guard.Options{Strict: true}), Options{}), d: few, lenient: true, oneOrder: true,
		}
	})
}
