package pgtest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

var databases atomic.Int64

// Database makes an empty database for one test and returns its name.
func (s *Server) Database(t testing.TB) string { return s.Clone(t, "template0") }

// Clone copies a database, to which nobody may be connected, for one test, and returns the name of the copy. Copying
// the files costs the server less than half of what copying through its log costs, which is the default.
func (s *Server) Clone(t testing.TB, template string) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", databases.Add(1))
	s.manage(t, "CREATE DATABASE "+name+" TEMPLATE "+template+" STRATEGY FILE_COPY")
	t.Cleanup(func() { s.manage(t, "DROP DATABASE "+name+" WITH (FORCE)") })
	return name
}

// manage runs CREATE or DROP DATABASE, one at a time.
func (s *Server) manage(t testing.TB, statement string) {
	t.Helper()
	s.managing.Lock()
	defer s.managing.Unlock()
	s.Exec(t, "postgres", statement)
}

// Exec runs statements in a database as the superuser.
func (s *Server) Exec(t testing.TB, database, statements string) {
	t.Helper()
	conn := s.Connect(t, database)
	defer func() { _ = conn.Close(context.Background()) }() // its error would not matter
	_, err := conn.Exec(context.Background(), statements, pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err, statements)
}

// value returns the only value of a query as the superuser.
func value[V any](t testing.TB, s *Server, database, query string, args ...any) (v V) {
	t.Helper()
	conn := s.Connect(t, database)
	defer func() { _ = conn.Close(context.Background()) }() // its error would not matter
	require.NoError(t, conn.QueryRow(context.Background(), query, args...).Scan(&v), query)
	return v
}

// Connect connects to a database as the superuser, until the test ends or the caller closes the connection.
func (s *Server) Connect(t testing.TB, database string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), s.URL(database))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // the server may be gone
	return conn
}

// Filled returns a database that lasts as long as the server, for tests that clone it. The first of the calls with
// the same content creates it and calls fill.
func (s *Server) Filled(t testing.TB, content string, fill func(url string)) (database string) {
	t.Helper()
	s.filling.Lock()
	defer s.filling.Unlock()
	if database = s.templates[content]; database == "" {
		database = fmt.Sprintf("template_%d", databases.Add(1))
		s.Exec(t, "postgres", "CREATE DATABASE "+database+" TEMPLATE template0")
		fill(s.URL(database))
		s.templates[content] = database
	}
	return database
}
