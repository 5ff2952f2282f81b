package pgtest

import "testing"

func TestMain(m *testing.M) { Main(m) }

func TestStart_Killed(t *testing.T) {
	start := func(t testing.TB) *Server { t.Helper(); return Start(t) }
	servers.RequireGone(t, Shared, start, func(s *Server) string { return s.dir }, "data/postmaster.pid")
}
