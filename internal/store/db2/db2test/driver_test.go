//go:build db2

package db2test

import (
	"database/sql"
	"testing"

	_ "github.com/ibmdb/go_ibm_db" // the driver that the bench is for
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { Main(m) }

func connected(t testing.TB, b *Bench) *sql.DB {
	t.Helper()
	db, err := sql.Open("go_ibm_db", b.DSN())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}
