//go:build db2

package db2test

import "testing"

func TestMain(m *testing.M) { Main(m) }

func TestStart_TestKilled(t *testing.T) {
	servers.RequireGone(t, Shared, StartServer, func(s *Server) string { return s.home }, "")
}
