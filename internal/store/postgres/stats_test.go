package postgres

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

// The server's counts grow with what is read, and a store without a free connection returns the last figures instead of
// waiting for one.
func TestStats(t *testing.T) {
	_, d, server, database := tiny(t)
	s := opened(t, server.URL(database), Options{Pool: 1})
	next, err := s.Lease(t.Context(), "order", 1)
	require.NoError(t, err)
	first := s.Stats()
	require.EqualValues(t, 1e15-next.First-1, first.IDsLeft["order"])
	require.Equal(t, 1, first.Connections)
	require.Positive(t, first.PageHits)
	var last store.Stats
	grows := func() {
		before := last.PageHits
		require.Eventually(t, func() bool { // the server counts when a second has passed
			require.NoError(t, errOf(s.GetSecurity(t.Context(), d.Symbol(0))))
			last = s.Stats()
			return last.PageHits > before
		}, time.Minute, 10*time.Millisecond)
	}
	grows()

	only, err := s.pool.Acquire(t.Context())
	require.NoError(t, err)
	require.Equal(t, last.PageHits, s.Stats().PageHits)
	only.Release()
	grows()
}

// After a load, the figures are exact, since it ends with ANALYZE.
func TestStats_Kinds(t *testing.T) {
	s, d, _, _ := tiny(t)
	space, err := s.Space(t.Context())
	require.NoError(t, err)
	loaded := s.figures.Kinds.Look()
	for _, k := range dataset.Kinds {
		require.True(t, loaded[k].Known, k)
		require.Equal(t, d.Count(k), loaded[k].Documents, k)
		require.Equal(t, space.Stored[k], loaded[k].Stored, k)
	}

}
