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
	var last Stats
	grows := func() {
		before := last.Hits
		require.Eventually(t, func() bool { // the server counts when a second has passed
			_, err := s.GetSecurity(t.Context(), d.Symbol(0))
			require.NoError(t, err)
			last = s.Stats()
			return last.Hits > before
		}, time.Minute, 10*time.Millisecond)
	}
	grows()

	only, err := s.pool.Acquire(t.Context())
	require.NoError(t, err)
	waiting := s.Stats()
	require.Equal(t, 1, waiting.InUse)
	require.Equal(t, last.Hits, waiting.Hits)
	only.Release()
	grows()
}
