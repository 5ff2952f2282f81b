package sqlite

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

func generator(t testing.TB, scale string) *dataset.Dataset {
	t.Helper()
	s, err := dataset.ParseScale(scale)
	require.NoError(t, err)
	return dataset.New(dataset.Spec{Scale: s, Seed: 1})
}

func opened(t testing.TB, path string, options Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), path, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func empty(t testing.TB) *Store {
	t.Helper()
	return opened(t, filepath.Join(t.TempDir(), "brokerage.db"), Options{})
}

func loaded(t testing.TB, d *dataset.Dataset) *Store {
	t.Helper()
	s := empty(t)
	require.NoError(t, s.LoadDataset(context.Background(), d, nil))
	return s
}

func now() brokerage.Write { return brokerage.Write{Now: time.Now()} }

// order is a new order with an id of the test's.
func order(d *dataset.Dataset, id int64) []byte {
	return d.AppendNewOrder(nil, id, dataset.NewOrder{ID: id})
}
