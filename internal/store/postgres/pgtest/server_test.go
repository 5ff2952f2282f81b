package pgtest

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { Main(m) }

func TestStart_Killed(t *testing.T) {
	start := func(t testing.TB) *Server { t.Helper(); return Start(t) }
	servers.RequireGone(t, Shared, start, func(s *Server) string { return s.dir }, "data/postmaster.pid")
}

// Settings are the server's, after a restart too, and databases are of their own.
func TestServer(t *testing.T) {
	s := Start(t, "work_mem=7MB")
	require.GreaterOrEqual(t, s.Major(t), 15)
	show := func(name string) (value string) {
		conn := s.Connect(t, "postgres")
		defer func() { require.NoError(t, conn.Close(t.Context())) }()
		require.NoError(t, conn.QueryRow(t.Context(), "SHOW "+name).Scan(&value))
		return value
	}
	require.Equal(t, "7MB", show("work_mem"))
	require.Empty(t, show("listen_addresses"))
	s.Restart(t, "immediate")
	require.Equal(t, "7MB", show("work_mem"))
	first, second := s.Database(t), s.Database(t)
	s.Exec(t, first, "CREATE TABLE mine (id int)")
	_, err := pgx.Connect(t.Context(), s.URL("none"))
	require.Error(t, err)
	s.Exec(t, second, "CREATE TABLE mine (id int)")
	clone := s.Clone(t, first)
	s.Exec(t, clone, "INSERT INTO mine VALUES (1)")
}
