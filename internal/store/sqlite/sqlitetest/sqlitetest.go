// Package sqlitetest provides databases of the embedded store for the tests of other packages.
package sqlitetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/sqlite"
)

// Tiny returns the path of a new database, brokerage.db, which is alone in its folder and holds the dataset tiny. The
// dataset is loaded only once; each call copies the file.
func Tiny(t testing.TB) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "brokerage.db")
	require.NoError(t, os.WriteFile(path, TinyFile(t), 0o600))
	return path
}

// Store returns a store on a new database with the dataset tiny. It is closed when the test ends.
func Store(t testing.TB) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), Tiny(t), store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// TinyFile returns the content of the file of a database with the dataset tiny.
func TinyFile(t testing.TB) []byte {
	t.Helper()
	file, err := tiny()
	require.NoError(t, err)
	return file
}

var tiny = sync.OnceValues(func() (_ []byte, err error) {
	dir, err := os.MkdirTemp("", "brokerage")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path, ctx := filepath.Join(dir, "brokerage.db"), context.Background()
	s, err := sqlite.Open(ctx, path, store.Options{})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(s.LoadDataset(ctx, dataset.New(dataset.Spec{Seed: 1}), nil), s.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})
