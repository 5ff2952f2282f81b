package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
)

// Two instances on one database, connections to them and to it cut at random, one of them started again: each trade
// counts once.
func TestOnce_Cut(t *testing.T) {
	server := pgtest.Shared(t)
	d := generator(t, "tiny")
	database := server.Clone(t, template(t, server, d))
	link := chaostest.NewProxy(t, "unix", server.Socket())
	chaostest.Once(t, chaostest.Database{
		Generator: d,
		Link:      link,
		Open: func(t testing.TB) brokerage.Store {
			return opened(t, server.URLAt(link.Addr().String(), database), Options{})
		},
	})
	requireSound(t, opened(t, server.URL(database), Options{}))
}

// requireSound requires that verify finds nothing wrong.
func requireSound(t testing.TB, s *Store) {
	t.Helper()
	v, err := s.Verify(t.Context(), func(finding string) error { t.Error(finding); return nil }, func(int64) {})
	require.NoError(t, err)
	require.Zero(t, v.Findings)
	require.NotZero(t, v.Documents[dataset.Customer])
}
