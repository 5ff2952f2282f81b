package postgres

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

// Stats returns figures of the server, and an Admin returns them by table. After a load, which ends with ANALYZE,
// estimates are exact. A store without a free connection returns the last figures instead of waiting for one.
func TestStats(t *testing.T) {
	_, d, server, database := tiny(t)
	s := opened(t, server.URL(database), Options{Pool: 1})
	next, err := s.Lease(t.Context(), "order", 1)
	require.NoError(t, err)
	space, err := s.Space(t.Context())
	require.NoError(t, err)
	first := s.Stats()
	require.EqualValues(t, 1e15-next.First-1, first.IDsLeft["order"])
	require.Equal(t, 1, first.Connections)
	require.Positive(t, first.PageHits)
	for k, estimated := range first.Kinds {
		require.Equal(t, store.KindStats{
			Kind: dataset.Kind(k).String(), Known: true, Estimated: true,
			Documents: d.Count(dataset.Kind(k)), Stored: space.Stored[k],
		}, estimated)
	}
	only, err := s.pool.Acquire(t.Context())
	require.NoError(t, err)
	require.Equal(t, first.Kinds, s.Stats().Kinds)
	only.Release()

	admin, err := Administer(t.Context(), server.URL(database))
	require.NoError(t, err)
	defer func() { require.NoError(t, admin.Close()) }()
	pools := func() []store.PoolStats {
		all, err := admin.Pools(t.Context())
		require.NoError(t, err)
		return all
	}
	before := pools()
	require.Eventually(t, func() bool { // the server counts when a second has passed
		require.NoError(t, errOf(s.GetSecurity(t.Context(), d.Symbol(0))))
		read := func(p store.PoolStats) bool { return p.Name == "securities, indexes" && p.Hits > 50 }
		return s.Stats().PageHits > first.PageHits && slices.ContainsFunc(store.PoolsSince(before, pools()), read)
	}, time.Minute, 10*time.Millisecond)
}
