//go:build db2

package db2test

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ibmdb/go_ibm_db"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

var tiny = sync.OnceValue(func() *dataset.Dataset { return dataset.New(dataset.Spec{Seed: 1}) })

func document(k dataset.Kind, i int64) string { return string(tiny().Append(nil, k, i)) }

func id(k dataset.Kind, i int64) string { return strconv.FormatInt(tiny().ID(k, i), 10) }

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

// read returns the document of a statement whose columns are its length and the
// document.
func read(t testing.TB, db execer, query string, args ...any) string {
	t.Helper()
	var length int
	var text string
	require.NoError(t, db.QueryRowContext(t.Context(), query, args...).Scan(&length, &text), query)
	require.Len(t, text, length)
	return text
}

func code(err error) (sqlcode int) {
	var native *go_ibm_db.Error
	if errors.As(err, &native) && len(native.Diag) > 0 {
		return native.Diag[0].NativeError
	}
	return 0
}

// A stored document is returned unchanged, with its white space.
func TestDocuments(t *testing.T) {
	_, db := filled(t)
	require.Contains(t, read(t, db, statement(t, "get_order"), id(dataset.Order, 2), id(dataset.Order, 2)), ` ID="`+id(dataset.Order, 2)+`"`)
	require.ErrorIs(t, db.QueryRowContext(t.Context(), statement(t, "get_order"), "nope", "nope").Scan(new(int), new(string)), sql.ErrNoRows)

	const mixed = `<Security xmlns="http://tpox-benchmark.com/security"> <Symbol>MIXED</Symbol>
  <Description> a <b> </b>  <c/> z</Description></Security>`
	run(t, db, statement(t, "insert_security"), mixed)
	require.Equal(t, mixed, read(t, db, statement(t, "get_security"), "MIXED"))
}

// Unique indexes over XML hold across documents and within one.
func TestKeys_Unique(t *testing.T) {
	_, db := filled(t)
	insert := func(doc string) int {
		_, err := db.ExecContext(t.Context(), statement(t, "insert_customer_as_is"), doc)
		return code(err)
	}
	first := document(dataset.Customer, 0)
	require.Equal(t, -803, insert(first))
	require.Equal(t, -803, insert(strings.Replace(first, ` id="`+id(dataset.Customer, 0)+`"`, ` id="77"`, 1)), "by its accounts")
	const twice = `<Customer xmlns="http://tpox-benchmark.com/custacc" id="5"><Accounts><Account id="6"/><Account id="6"/></Accounts></Customer>`
	require.Equal(t, -803, insert(twice))
	require.Zero(t, insert(strings.Replace(twice, `id="6"`, `id="7"`, 1)))
	run(t, db, statement(t, "delete_customer"), id(dataset.Customer, 0))
	require.Zero(t, insert(first), "its keys went with it")
	require.Equal(t, -20305, insert(strings.Replace(twice, `id="5"`, `id="`+strings.Repeat("8", 21)+`"`, 1)))
}

// A document that is not well-formed, or not valid, is refused.
func TestDocuments_Refused(t *testing.T) {
	_, db := installed(t)
	for name, c := range map[string]struct {
		doc  string
		code int
	}{
		"NotWellFormed": {"<a><b></a>", -16129},
		"Invalid":       {strings.Replace(document(dataset.Customer, 0), "<Gender>", "<Gender>?", 1), -16196},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := db.ExecContext(t.Context(), statement(t, "insert_customer"), c.doc)
			require.Equal(t, c.code, code(err), "%v", err)
		})
	}
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
	read(t, first, statement(t, "lock_customer"), id(dataset.Customer, 0))
	read(t, second, statement(t, "lock_customer"), id(dataset.Customer, 1))
	read(t, second, statement(t, "get_customer"), id(dataset.Customer, 0))
	err = second.QueryRowContext(t.Context(), statement(t, "lock_customer"), id(dataset.Customer, 0)).Scan(new(int), new(string))
	require.Equal(t, -911, code(err), "%v", err)
	run(t, first, statement(t, "replace_customer"), document(dataset.Customer, 0), id(dataset.Customer, 0))
	require.NoError(t, first.Commit())
	require.NoError(t, second.Rollback())
}

// Concurrent increments of one row all count.
func TestLocks_Increments(t *testing.T) {
	_, db := filled(t)
	var all sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		all.Go(func() {
			for range 10 {
				_, err := db.ExecContext(t.Context(), statement(t, "lease"), 1, "order")
				errs[i] = errors.Join(errs[i], err)
			}
		})
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	var next int64
	require.NoError(t, db.QueryRowContext(t.Context(), statement(t, "leased"), "order").Scan(&next))
	require.EqualValues(t, 103282+40, next)
}

// A search compares numbers as numbers, and a join finds by keys.
func TestQueries(t *testing.T) {
	_, db := filled(t)
	rows, err := db.QueryContext(t.Context(), statement(t, "search_securities"), "Nothing", 0.0, 1e6, -1.0)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	require.False(t, rows.Next())
	require.NoError(t, rows.Err())
	owner := document(dataset.Customer, 3)
	_, account, _ := strings.Cut(owner, `<Account id="`)
	account, _, _ = strings.Cut(account, `"`)
	order := strings.Replace(document(dataset.Order, 9), ` Acct="`, ` Acct="`+account+`" X="`, 1)
	run(t, db, statement(t, "insert_order"), order)
	require.Contains(t, read(t, db, statement(t, "customer_max_order"), id(dataset.Customer, 3), id(dataset.Customer, 3)),
		`ORDER_ID="`+id(dataset.Order, 9)+`"`)
}
