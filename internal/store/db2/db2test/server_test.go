//go:build db2

package db2test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

func TestStart_TestKilled(t *testing.T) {
	servers.RequireGone(t, Shared, StartServer, func(s *Server) string { return s.home }, "")
}

// Committed data survives the death of the server, other data does not.
func TestServer_Kill(t *testing.T) {
	s := StartServer(t)
	b := s.Database(t)
	db := connected(t, b)
	for _, statement := range []string{
		"CREATE TABLE orders (odoc XML)",
		`CREATE UNIQUE INDEX orders_id ON orders (odoc) GENERATE KEY USING XMLPATTERN
			'declare default element namespace "http://www.fixprotocol.org/FIXML-4-4"; /FIXML/Order/@ID' AS SQL VARCHAR(20)`,
	} {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	run(t, db, statement(t, "insert_order"), document(dataset.Order, 0))
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	run(t, tx, statement(t, "insert_order"), document(dataset.Order, 1))

	s.Kill(t)
	get := func(i int64) error {
		key := id(dataset.Order, i)
		return db.QueryRowContext(t.Context(), statement(t, "get_order"), key, key).Scan(new(string))
	}
	require.Error(t, get(0))
	_ = tx.Rollback() // its connection is gone
	s.Restart(t)
	b.Found()
	require.Eventually(t, func() bool { return get(0) == nil }, time.Minute, 50*time.Millisecond)
	require.ErrorIs(t, get(1), sql.ErrNoRows)
}

// A transaction does not survive its connection. Outside of a transaction a
// lost connection may go unnoticed: IBM's client may reconnect by itself.
func TestBench_Cut(t *testing.T) {
	b := Start(t)
	db := connected(t, b)
	one := func() error { return db.QueryRowContext(t.Context(), "VALUES 1").Scan(new(int)) }
	_, err := db.ExecContext(t.Context(), "CREATE TABLE numbers (n INTEGER)")
	require.NoError(t, err)
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	run(t, tx, "INSERT INTO numbers (n) VALUES (1)")
	require.Positive(t, b.Cut())
	_, err = tx.ExecContext(t.Context(), "INSERT INTO numbers (n) VALUES (2)")
	require.Error(t, err)
	_ = tx.Rollback() // its connection is gone
	require.Eventually(t, func() bool { return one() == nil }, time.Minute, 50*time.Millisecond)
	var n int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM numbers").Scan(&n))
	require.Zero(t, n)

	b.Refuse(true)
	b.Cut()
	require.Error(t, one())
	require.Error(t, one())
	b.Refuse(false)
	require.Eventually(t, func() bool { return one() == nil }, time.Minute, 50*time.Millisecond)

	const delay = 200 * time.Millisecond
	b.Delay(delay)
	began := time.Now()
	require.NoError(t, one())
	require.GreaterOrEqual(t, time.Since(began), delay)
	b.Delay(0)
}
