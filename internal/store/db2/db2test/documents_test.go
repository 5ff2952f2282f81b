//go:build db2

package db2test

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/ibmdb/go_ibm_db"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

var tiny = sync.OnceValue(func() *dataset.Dataset { return dataset.New(dataset.Spec{Seed: 1}) })

func document(k dataset.Kind, i int64) string { return string(tiny().Append(nil, k, i)) }

func customerID(i int64) string { return strconv.FormatInt(tiny().ID(dataset.Customer, i), 10) }

// filled returns a database with a few documents of each kind.
func filled(t testing.TB) (*Bench, *sql.DB) {
	t.Helper()
	b, db := installed(t)
	for i := range int64(4) {
		run(t, db, statement(t, "insert_customer"), document(dataset.Customer, i))
		run(t, db, statement(t, "insert_order"), document(dataset.Order, i))
		run(t, db, statement(t, "insert_security"), document(dataset.Security, i))
	}
	return b, db
}

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// run executes a statement that changes one row.
func run(t testing.TB, db execer, query string, args ...any) {
	t.Helper()
	result, err := db.ExecContext(t.Context(), query, args...)
	require.NoError(t, err, query)
	n, err := result.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 1, n, query)
}

// read returns the document of a statement.
func read(t testing.TB, db execer, query string, args ...any) (text string) {
	t.Helper()
	require.NoError(t, db.QueryRowContext(t.Context(), query, args...).Scan(&text), query)
	return text
}

func code(err error) (sqlcode int) {
	var native *go_ibm_db.Error
	if errors.As(err, &native) && len(native.Diag) > 0 {
		return native.Diag[0].NativeError
	}
	return 0
}

// Updates of different rows do not wait for each other, but those of one row
// do.
func TestLocks_Rows(t *testing.T) {
	_, db := filled(t)
	price := func(tx execer, i int, last string) error {
		_, err := tx.ExecContext(t.Context(), statement(t, "update_security_price"), last, "", "", tiny().Symbol(i))
		return err
	}
	first, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	second, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, price(first, 0, "1.25"))
	require.NoError(t, price(second, 1, "2.25"), "another row")
	require.Equal(t, -911, code(price(second, 0, "3.25")), "the same row: the time-out")
	require.NoError(t, first.Commit())
	require.NoError(t, second.Rollback())
	require.Contains(t, read(t, db, statement(t, "get_security_price"), tiny().Symbol(0)), ">1.25</LastTrade>")
}

// USE AND KEEP UPDATE LOCKS excludes other update locks, but not readers.
func TestLocks_Kept(t *testing.T) {
	_, db := filled(t)
	first, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	second, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	read(t, first, statement(t, "lock_customer"), customerID(0))
	read(t, second, statement(t, "lock_customer"), customerID(1))
	read(t, second, statement(t, "get_customer"), customerID(0))
	err = second.QueryRowContext(t.Context(), statement(t, "lock_customer"), customerID(0)).Scan(new(string))
	require.Equal(t, -911, code(err), "%v", err)
	run(t, first, statement(t, "replace_customer"), document(dataset.Customer, 0), customerID(0))
	require.NoError(t, first.Commit())
	require.NoError(t, second.Rollback())
}
