//go:build db2

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/ibmdb/go_ibm_db"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/db2"
	"brokerage/internal/testenv"
)

var servers = testenv.Servers[*server]{What: "the bench", Need: "db2bench"}

func TestMain(m *testing.M) { servers.Main(m) }

// listen returns a database that does not exist yet, of the server that all tests share.
func listen(t testing.TB) *database {
	t.Helper()
	s := servers.Shared(t, func() (*server, error) { return start(t.Context()) })
	name := fmt.Sprintf("T%d", len(s.databases))
	_, err := s.listen(name, "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.databases[name].close()) })
	return s.databases[name]
}

// connect returns connections of IBM's driver to a database.
func connect(t testing.TB, d *database) *sql.DB {
	t.Helper()
	_, port, err := net.SplitHostPort(d.proxy.Addr().String())
	require.NoError(t, err)
	db, err := sql.Open("go_ibm_db", "HOSTNAME=127.0.0.1;PORT="+port+";DATABASE="+d.name+
		";UID=tpox;PWD=tpox;PROTOCOL=TCPIP;AUTHENTICATION=SERVER")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// statement returns the text of one of the store's files.
func statement(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../internal/store/db2/sql/" + name + ".sql")
	require.NoError(t, err)
	return string(text)
}

var template *database

// installed returns a database with the store's schema.
func installed(t testing.TB) *sql.DB {
	t.Helper()
	if template == nil {
		d := listen(t)
		require.NoError(t, d.create())
		db := connect(t, d)
		for _, statement := range db2.DDL(db2.Tuned) {
			_, err := db.ExecContext(t.Context(), statement)
			require.NoError(t, err, statement)
		}
		template = d
	}
	d := listen(t)
	require.NoError(t, d.clone(template))
	return connect(t, d)
}

var tiny = sync.OnceValue(func() *dataset.Dataset { return dataset.New(dataset.Spec{Seed: 1}) })

func document(k dataset.Kind, i int64) string { return string(tiny().Append(nil, k, i)) }

func id(k dataset.Kind, i int64) string { return strconv.FormatInt(tiny().ID(k, i), 10) }

// filled returns a database with a few documents of each kind.
func filled(t testing.TB) *sql.DB {
	t.Helper()
	db := installed(t)
	for i := range int64(4) {
		execute(t, db, statement(t, "insert_customer"), document(dataset.Customer, i))
		execute(t, db, statement(t, "insert_order"), document(dataset.Order, i))
		execute(t, db, statement(t, "insert_security"), document(dataset.Security, i))
	}
	return db
}

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// execute runs a statement that changes one row.
func execute(t testing.TB, db execer, query string, args ...any) {
	t.Helper()
	result, err := db.ExecContext(t.Context(), query, args...)
	require.NoError(t, err, query)
	n, err := result.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 1, n, query)
}

// read returns the document of a statement that returns its length and itself.
func read(t testing.TB, db execer, query string, args ...any) string {
	t.Helper()
	var length int
	var text string
	require.NoError(t, db.QueryRowContext(t.Context(), query, args...).Scan(&length, &text), query)
	require.Len(t, text, length)
	return text
}

// code returns the SQLCODE of an error, or 0.
func code(err error) int {
	native, ok := errors.AsType[*go_ibm_db.Error](err)
	if !ok || len(native.Diag) == 0 {
		return 0
	}
	return native.Diag[0].NativeError
}
