package postgres

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
)

func generator(t testing.TB, scale string) *dataset.Dataset {
	t.Helper()
	s, err := dataset.ParseScale(scale)
	require.NoError(t, err)
	return dataset.New(dataset.Spec{Scale: s, Seed: 1})
}

// templates are databases as they are after a load, by fingerprint: to copy one is quicker than to load it again.
var templates struct {
	sync.Mutex
	names map[string]string
}

func template(t testing.TB, server *pgtest.Server, d *dataset.Dataset) string {
	t.Helper()
	templates.Lock()
	defer templates.Unlock()
	name, ok := templates.names[d.Fingerprint()]
	if !ok {
		name = server.Template(t)
		s, err := Open(context.Background(), server.URL(name), Options{})
		require.NoError(t, err)
		require.NoError(t, s.LoadDataset(context.Background(), d, nil))
		require.NoError(t, s.Close())
		if templates.names == nil {
			templates.names = make(map[string]string)
		}
		templates.names[d.Fingerprint()] = name
	}
	return name
}

// opened opens a store that a test may close by itself.
func opened(t testing.TB, url string, options Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), url, options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// tiny is a store with the smallest dataset.
func tiny(t testing.TB) (*Store, *dataset.Dataset, *pgtest.Server, string) {
	t.Helper()
	server := pgtest.Shared(t)
	d := generator(t, "tiny")
	database := server.Clone(t, template(t, server, d))
	return opened(t, server.URL(database), Options{}), d, server, database
}

func now() brokerage.Write { return brokerage.Write{Now: time.Now()} }

func customer(d *dataset.Dataset, id int64, accounts ...int64) []byte {
	return d.AppendNewCustomer(nil, 3, dataset.NewCustomer{ID: id, Accounts: accounts})
}

func order(d *dataset.Dataset, id int64) []byte {
	return d.AppendNewOrder(nil, 7, dataset.NewOrder{ID: id})
}

// lockDocuments makes every transaction wait.
const lockDocuments = "LOCK TABLE brokerage.orders, brokerage.customers, brokerage.securities IN ACCESS EXCLUSIVE MODE"

// scan runs a query of one row.
func scan(t testing.TB, q querier, into []any, sql string, args ...any) {
	t.Helper()
	require.NoError(t, q.QueryRow(t.Context(), sql, args...).Scan(into...))
}

func unavailable(err error) (*brokerage.Unavailable, bool) {
	return errors.AsType[*brokerage.Unavailable](err)
}
