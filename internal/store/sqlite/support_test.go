package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
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

func isUnavailable(err error) bool {
	_, ok := errors.AsType[*brokerage.Unavailable](err)
	return ok
}

// requireDataset wants all documents of a dataset, byte for byte, and no more.
func requireDataset(t testing.TB, s *Store, d *dataset.Dataset) {
	t.Helper()
	contents, err := s.Contents(t.Context())
	require.NoError(t, err)
	require.Equal(t, bulk.ContentsOf(d), contents)
	for _, k := range dataset.Kinds {
		var n int64
		require.NoError(t, s.reading.QueryRowContext(t.Context(), "SELECT count(*) FROM "+tableNames[k]).Scan(&n))
		require.Equal(t, d.Count(k), n, k)
		for i := range n {
			var got []byte
			want := d.Append(nil, k, i)
			switch k {
			case dataset.Security:
				got, err = s.GetSecurity(t.Context(), d.Symbol(int(i)))
			case dataset.Customer:
				got, err = s.GetCustomer(t.Context(), brokerage.ID(d.ID(k, i)))
			case dataset.Order:
				want = brokerage.Order(want)
				got, err = s.GetOrder(t.Context(), brokerage.ID(d.ID(k, i)))
			}
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		}
	}
	var accounts int64
	require.NoError(t, s.reading.QueryRowContext(t.Context(), "SELECT count(*) FROM accounts").Scan(&accounts))
	require.Equal(t, d.TotalAccounts(), accounts)
	lease, err := s.Lease(t.Context(), "order", 1)
	require.NoError(t, err)
	require.GreaterOrEqual(t, int64(lease.First), d.ID(dataset.Order, d.Count(dataset.Order)-1)+1)
}
