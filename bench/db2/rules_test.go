//go:build db2

package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/api"
	"brokerage/internal/dataset"
)

// TRUNCATE is the first statement of its unit of work, or it is refused, as by Db2.
func TestTruncate_First(t *testing.T) {
	db := filled(t)
	db.SetMaxOpenConns(1) // what was committed before does not count, on one connection
	truncate, insert := statement(t, "empty_orders"), statement(t, "insert_order")
	count := func() (n int) {
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM orders").Scan(&n))
		return n
	}
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	execute(t, tx, insert, document(dataset.Order, 7))
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
	execute(t, db, insert, document(dataset.Order, 0)) // its key went with it
}

// A schema comes through driver and protocol as it is in its file, and is registered once.
func TestRegister(t *testing.T) {
	db := installed(t)
	text, err := api.Schemas.ReadFile("schema/custacc.xsd")
	require.NoError(t, err)
	register := func(name string) int {
		_, block, found := strings.Cut(statement(t, "register_schema"), "BEGIN")
		require.True(t, found)
		names := strings.NewReplacer("$schema", "TPOX", "$name", name, "$file", "custacc.xsd")
		_, err := db.ExecContext(t.Context(), names.Replace("BEGIN"+block))
		return code(err)
	}
	execute(t, db, statement(t, "insert_schema"), "custacc.xsd", string(text))
	require.Zero(t, register("CUSTACC"))
	require.Equal(t, -601, register("CUSTACC"))
	require.Equal(t, -16196, register("SECURITY"), "another one's content")
	require.Equal(t, -204, register("NOTHING"))
}

// Every statement of the store can be prepared.
func TestStatements_Prepare(t *testing.T) {
	db := installed(t)
	files, err := filepath.Glob("../../internal/store/db2/sql/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		text := statement(t, name)
		if strings.HasPrefix(name, "schema_") || strings.Contains(text, "\nCALL ") {
			continue // a script; and calls are not prepared by the client
		}
		t.Run(name, func(t *testing.T) {
			prepared, err := db.PrepareContext(t.Context(), text)
			require.NoError(t, err)
			defer func() { require.NoError(t, prepared.Close()) }()
		})
	}
}

// A transaction does not survive its connection. Outside of one IBM's client may connect again by itself.
func TestCut(t *testing.T) {
	d := listen(t)
	require.NoError(t, d.create())
	db := connect(t, d)
	one := func() error { return db.QueryRowContext(t.Context(), "VALUES 1").Scan(new(int)) }
	_, err := db.ExecContext(t.Context(), "CREATE TABLE numbers (n INTEGER)")
	require.NoError(t, err)
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	execute(t, tx, "INSERT INTO numbers (n) VALUES (1)")
	require.Positive(t, d.proxy.Cut())
	_, err = tx.ExecContext(t.Context(), "INSERT INTO numbers (n) VALUES (2)")
	require.Error(t, err)
	_ = tx.Rollback() // its connection is gone
	require.Eventually(t, func() bool { return one() == nil }, time.Minute, 50*time.Millisecond)
	var n int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM numbers").Scan(&n))
	require.Zero(t, n)
}
