package postgres

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/store/postgres/pgtest"
)

// The server's counts are of what the store has done, by table.
func TestPools(t *testing.T) {
	server := pgtest.Start(t)
	d, url := generator(t), server.URL("postgres")
	s := opened(t, url, Options{})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	a, err := Administer(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	require.Equal(t, server.PID(t), a.Process())
	before, err := a.Pools(t.Context())
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the server counts when a second has passed
		require.NoError(t, errOf(s.GetSecurity(t.Context(), d.Symbol(0))))
		after, err := a.Pools(t.Context())
		require.NoError(t, err)
		return slices.ContainsFunc(store.PoolsSince(before, after), func(p store.PoolStats) bool {
			return p.Name == "securities, indexes" && p.Hits > 50
		})
	}, time.Minute, time.Millisecond)
}
