package postgres

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// Requests wait for a server that is down for a moment, together; when it stays down they end at once; and it is found
// again by itself.
func TestOutage(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	d := generator(t, "tiny")
	s := opened(t, server.URL("postgres"), Options{})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	read := func() error { return errOf(s.GetOrder(t.Context(), orderID(d, 0))) }

	server.Halt(t)
	began := time.Now()
	require.NoError(t, storetest.Together(64, func(int) error {
		if err := read(); !tpox.Is[*tpox.Unavailable](err) {
			return err
		}
		return nil
	}))
	require.GreaterOrEqual(t, time.Since(began), patience*9/10)
	tries := s.retries.Load()
	began = time.Now()
	for range 200 {
		require.ErrorContains(t, read(), "the server is down since ")
	}
	require.Less(t, time.Since(began), patience)
	require.Equal(t, tries, s.retries.Load(), "nobody has asked the server")
	require.Error(t, s.Ready(t.Context()))

	server.Again(t)
	require.Eventually(t, func() bool { return read() == nil }, time.Minute, 10*time.Millisecond)
	require.Nil(t, s.outage.Load())
}

// The password of a new connection is the one that its file has now.
func TestFreshPassword(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pgpass")
	t.Setenv("PGPASSFILE", file)
	write := func(password string) {
		require.NoError(t, os.WriteFile(file, []byte("*:*:*:me:"+password+"\n"), 0o600))
	}
	write("old")
	config, _, err := parseURL("postgres://me@a,b/d?pool_max_conns=3")
	require.NoError(t, err)
	configure(config, &Options{})
	require.Equal(t, "old", config.ConnConfig.Password)
	write("new")
	for range 2 {
		c := config.ConnConfig.Copy()
		require.NoError(t, config.BeforeConnect(t.Context(), c))
		require.Equal(t, "new", c.Password)
		configureCluster(config) // which has hosts to choose from, too
	}
}
