//go:build db2

package db2test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/api"
	"brokerage/internal/dataset"
)

// TRUNCATE is refused unless it is the first statement of its unit of work, as
// by Db2.
func TestTruncate_First(t *testing.T) {
	_, db := filled(t)
	db.SetMaxOpenConns(1) // one connection, because each has its own unit of work
	truncate, insert := statement(t, "empty_orders"), statement(t, "insert_order")
	count := func() (n int) {
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM orders").Scan(&n))
		return n
	}
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	run(t, tx, insert, document(dataset.Order, 7))
	_, err = tx.ExecContext(t.Context(), truncate)
	require.Equal(t, -428, code(err), "%v", err)
	require.NoError(t, tx.Rollback())
	require.Equal(t, 4, count())

	tx, err = db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, tx.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM security").Scan(new(int)))
	_, err = tx.ExecContext(t.Context(), truncate)
	require.Equal(t, -428, code(err), "a query is a statement as well: %v", err)
	require.NoError(t, tx.Rollback())

	_, err = db.ExecContext(t.Context(), truncate)
	require.NoError(t, err)
	require.Zero(t, count())
	run(t, db, insert, document(dataset.Order, 0)) // its key went with it
}

// A schema passes through driver and protocol unchanged, and is registered
// once.
func TestRegister(t *testing.T) {
	_, db := installed(t)
	text, err := api.Schemas.ReadFile("schema/custacc.xsd")
	require.NoError(t, err)
	register := func(name string) int {
		named := strings.NewReplacer("$schema", "TPOX", "$name", name, "$file", "custacc.xsd")
		_, err := db.ExecContext(t.Context(), named.Replace(statement(t, "register_schema")))
		return code(err)
	}
	run(t, db, statement(t, "insert_schema"), "custacc.xsd", string(text))
	require.Zero(t, register("CUSTACC"))
	require.Equal(t, -601, register("CUSTACC"))
	require.Equal(t, -16196, register("SECURITY"), "another one's content")
	require.Equal(t, -204, register("NOTHING"))
}
