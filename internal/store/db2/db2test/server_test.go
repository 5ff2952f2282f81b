//go:build db2

package db2test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
	b.Cut()
	_, err = tx.ExecContext(t.Context(), "INSERT INTO numbers (n) VALUES (2)")
	require.Error(t, err)
	_ = tx.Rollback() // its connection is gone
	require.Eventually(t, func() bool { return one() == nil }, time.Minute, 50*time.Millisecond)
	var n int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM numbers").Scan(&n))
	require.Zero(t, n)
}
