package pgtest

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Standby starts a streaming replica of the server for one test, with settings such as "hot_standby_feedback=on".
func (s *Server) Standby(t testing.TB, settings ...string) *Server {
	t.Helper()
	return servers.Own(t, func() (*Server, error) {
		into, err := prepare("", filepath.Dir(s.dir))
		require.NoError(t, err)
		// -R writes the address of the primary into the configuration.
		err = s.tool(t, "pg_basebackup", "-h", s.dir, "-U", User, "-D", into.data(), "-c", "fast", "-X", "stream", "-R")
		if err != nil {
			return nil, err
		}
		err = into.run(slices.Concat(unsafe, settings))
		return into, err
	})
}

// Promote makes a primary of a standby.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	s.control(t, "promote")
}

// CutOff interrupts the replication to a standby until the function that it returns is called.
func (s *Server) CutOff(t testing.TB) (attach func()) {
	t.Helper()
	from := value[string](t, s, "postgres", "SHOW primary_conninfo")
	follow := func(primary string) {
		s.Exec(t, "postgres", "ALTER SYSTEM SET primary_conninfo = '"+strings.ReplaceAll(primary, "'", "''")+"'")
		s.Exec(t, "postgres", "SELECT pg_reload_conf()")
	}
	follow("")
	s.Await(t, "SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)")
	return func() { follow(from) }
}

// Await waits until a query as the superuser returns true.
func (s *Server) Await(t testing.TB, query string, args ...any) {
	t.Helper()
	conn := s.Connect(t, "postgres")
	defer func() { _ = conn.Close(context.Background()) }() // its error would not matter
	require.Eventually(t, func() bool {
		var is bool
		require.NoError(t, conn.QueryRow(context.Background(), query, args...).Scan(&is), query)
		return is
	}, 5*time.Minute, 10*time.Millisecond, query)
}
