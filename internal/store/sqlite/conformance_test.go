package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/storetest"
)

func TestStore(t *testing.T) {
	// Every case has a database of its own, as it is after one load.
	var once sync.Once
	loadedFile := filepath.Join(t.TempDir(), "loaded.db")
	open := func(t testing.TB, d *dataset.Dataset, rules brokerage.Rules) brokerage.Store {
		once.Do(func() {
			s, err := Open(context.Background(), loadedFile, Options{})
			require.NoError(t, err)
			require.NoError(t, s.LoadDataset(context.Background(), d, nil))
			require.NoError(t, s.Close())
		})
		b, err := os.ReadFile(loadedFile)
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), "brokerage.db")
		require.NoError(t, os.WriteFile(path, b, 0o600))
		return reopened(t, path, Options{Rules: rules})
	}
	storetest.Run(t, storetest.Options{
		Open: open,
		Reopen: func(t testing.TB, s brokerage.Store) brokerage.Store {
			require.NoError(t, s.Close())
			return reopened(t, s.(*Store).path, s.(*Store).options)
		},
	})
}

// reopened opens a store that a case may close by itself.
func reopened(t testing.TB, path string, options Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), path, options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}
