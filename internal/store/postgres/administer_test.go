package postgres

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/store/postgres/pgtest"
)

// observe returns what the server of a URL counts.
func observe(t testing.TB, url string) store.ServerStats {
	t.Helper()
	a, err := Administer(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	server, err := a.Observe(t.Context())
	require.NoError(t, err)
	return server
}

// misses reports whether a server says that it does not count something.
func misses(s store.ServerStats, what string) bool {
	return slices.ContainsFunc(s.Missing, func(text string) bool { return strings.HasPrefix(text, what+": ") })
}

// The server's counts are of what the store has done, by table, and of connections that wait. A server that
// does not count something says so, and has no figure of it.
func TestObserve(t *testing.T) {
	server := pgtest.Start(t, "track_io_timing=on")
	d, url := generator(t), server.URL("postgres")
	a, err := Administer(t.Context(), url)
	require.NoError(t, err)
	require.Equal(t, server.PID(t), a.Process())
	require.NoError(t, a.Close())
	s := opened(t, url, Options{})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	_, release := lockedDocuments(t, server, "postgres")
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan error, 1)
	go func() { waits <- errOf(s.GetOrder(ctx, orderID(d, 0))) }()
	require.Eventually(t, func() bool { return observe(t, url).Figures["pg_waiting_lock"] == 1 },
		time.Minute, 10*time.Millisecond)
	release()
	require.NoError(t, <-waits)
	cancel()

	before := observe(t, url)
	var since store.ServerStats
	hits := func() int { // on the primary key of securities
		return slices.IndexFunc(since.Pools, func(p store.PoolStats) bool {
			return p.Name == "securities, indexes" && p.Hits > 50
		})
	}
	require.Eventually(t, func() bool { // the server counts when a second has passed
		require.NoError(t, errOf(s.GetSecurity(t.Context(), d.Symbol(0))))
		since = observe(t, url).Since(before)
		return hits() >= 0 && since.Figures["pg_commits_total"] > before.Figures["pg_commits_total"]+50
	}, time.Minute, time.Millisecond)
	require.Contains(t, since.Figures, "pg_read_seconds_total")
	_, has := since.Figures["pg_io_reads_total"]
	require.Equal(t, server.Major(t) >= 16, has)
	require.NotEqual(t, has, misses(since, "pg_stat_io"))
	require.False(t, misses(since, "time of I/O") || misses(since, "waits"))
}

// A role that may not see other connections, on a server with its defaults.
func TestObserve_Missing(t *testing.T) {
	server := pgtest.Start(t)
	server.Exec(t, "postgres", "CREATE ROLE brokerage_service LOGIN")
	require.NoError(t, opened(t, server.URL("postgres"), Options{}).Ready(t.Context())) // as the owner
	seen := observe(t, server.URLOf("brokerage_service", "postgres"))
	for _, what := range []string{"waits", "time of I/O"} {
		require.True(t, misses(seen, what), "%s: %v", what, seen.Missing)
	}
	require.NotContains(t, seen.Figures, "pg_waiting_lock")
	require.NotContains(t, seen.Figures, "pg_read_seconds_total")
	require.Contains(t, seen.Figures, "pg_commits_total")
}
