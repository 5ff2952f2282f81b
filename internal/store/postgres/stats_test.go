package postgres

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The server's counts grow with what is read, and a store without a connection to
// spare tells those that it knows instead of waiting for one.
func TestStats(t *testing.T) {
	_, d, server, database := tiny(t)
	s := opened(t, server.URL(database), Options{Pool: 1})
	first := s.Stats()
	require.Equal(t, 1, first.Connections)
	require.Positive(t, first.Hits)
	var later Stats
	require.Eventually(t, func() bool { // the server counts when a second has passed
		_, err := s.GetSecurity(t.Context(), d.Symbol(0))
		require.NoError(t, err)
		later = s.Stats()
		return later.Hits > first.Hits+10
	}, time.Minute, 10*time.Millisecond)

	only, err := s.pool.Acquire(t.Context())
	require.NoError(t, err)
	waiting := s.Stats()
	require.Equal(t, 1, waiting.InUse)
	require.Equal(t, later.Hits, waiting.Hits)
	only.Release()
	require.Eventually(t, func() bool { return s.Stats().Hits > later.Hits }, time.Minute, 10*time.Millisecond)
}
