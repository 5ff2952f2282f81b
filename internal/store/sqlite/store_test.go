package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
)

// Every statement goes through an index; the search through one that covers it.
func TestStatements_Plans(t *testing.T) {
	s := loaded(t, generator(t, "tiny"))
	texts := statementTexts
	require.NotEmpty(t, texts)
	conn, err := s.reading.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	// A connection that explains does not look whether its schema is that of before the load; one that reads does.
	var tables int
	require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT count(*) FROM sqlite_schema").Scan(&tables))
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			rows, err := conn.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+text, make([]any, parameters(text))...)
			require.NoError(t, err)
			defer rows.Close()
			var plan []string
			for rows.Next() {
				var id, parent, unused int
				var detail string
				require.NoError(t, rows.Scan(&id, &parent, &unused, &detail))
				plan = append(plan, detail)
			}
			require.NoError(t, rows.Err())
			for _, step := range plan {
				require.False(t, strings.HasPrefix(step, "SCAN") && step != "SCAN CONSTANT ROW", "%s", plan)
			}
			if name == "search_securities" {
				require.Contains(t, plan[0], "COVERING INDEX securities_search (sector=? AND pe>? AND pe<?)")
			}
			if name == "customer_max_order" {
				require.Contains(t, strings.Join(plan, "\n"), "COVERING INDEX orders_cash (account=?")
			}
		})
	}
}

// parameters counts the distinct ?N of a statement.
func parameters(text string) int {
	n := 0
	for strings.Contains(text, fmt.Sprintf("?%d", n+1)) {
		n++
	}
	return n
}

func TestOpen_NotOurs(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	require.NoError(t, os.WriteFile(text, []byte(strings.Repeat("no database\n", 500)), 0o666))
	_, err := Open(t.Context(), text, Options{})
	require.ErrorContains(t, err, "not a database")

	other := filepath.Join(dir, "other.db")
	db, err := sql.Open("sqlite", other)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "CREATE TABLE t (a)")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = Open(t.Context(), other, Options{})
	require.ErrorContains(t, err, "is a database, but not of this program")
}

// A failed Open leaves no lock.
func TestOpen_FailedLeavesNoLock(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "brokerage.db")
	s, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, damage := range map[string]string{
		"Version":    "PRAGMA user_version = 99",
		"Table":      "DROP TABLE settings",
		"Statement":  "ALTER TABLE orders RENAME COLUMN cash TO money",
		"Dictionary": "INSERT INTO dictionaries (kind, body) VALUES ('order', x'00')",
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, good, 0o600))
			db, err := sql.Open("sqlite", dsn(path))
			require.NoError(t, err)
			_, err = db.ExecContext(t.Context(), damage)
			require.NoError(t, err)
			require.NoError(t, db.Close())
			_, err = Open(t.Context(), path, Options{})
			require.Error(t, err)
			_, again := Open(t.Context(), path, Options{})
			require.Error(t, again)
			require.NotContains(t, again.Error(), "in use")
			_, err = os.Stat(path + "-wal")
			require.ErrorIs(t, err, os.ErrNotExist, "no connection is left")
			lock, err := lockDatabase(path, false)
			require.NoError(t, err)
			require.NoError(t, lock.Close())
		})
	}
}

func TestOpen_OldPathNames(t *testing.T) {
	for _, name := range []string{"with space.db", "per%20cent?.db", "häß#.db"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			opened(t, filepath.Join(dir, name), Options{})
			_, err := os.Stat(filepath.Join(dir, name))
			require.NoError(t, err, "the file has the name that was asked for")
		})
	}
}

func TestStore_KeepsWhatItHas(t *testing.T) {
	d := generator(t, "tiny")
	path := filepath.Join(t.TempDir(), "brokerage.db")
	s, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	contents, err := s.Contents(t.Context())
	require.NoError(t, err)
	require.Equal(t, d.Fingerprint(), contents.Fingerprint)
	_, err = s.InsertOrder(t.Context(), now(), order(d, 777_777))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	_, err = os.Stat(path + "-wal")
	require.ErrorIs(t, err, os.ErrNotExist, "closed, the file is the whole database")

	for _, options := range []Options{{}, {Uncompressed: true}} { // the setting is for new documents
		s, err = Open(t.Context(), path, options)
		require.NoError(t, err)
		again, err := s.Contents(t.Context())
		require.NoError(t, err)
		require.Equal(t, contents, again)
		got, err := s.GetOrder(t.Context(), 777_777)
		require.NoError(t, err)
		require.Equal(t, string(brokerage.Order(order(d, 777_777))), string(got))
		require.NoError(t, s.Close())
	}
}

func TestLoad_Refused(t *testing.T) {
	s := loaded(t, generator(t, "tiny"))
	require.NoError(t, s.LoadDataset(t.Context(), generator(t, "tiny"), nil), "what is there already is no work")
	err := s.LoadDataset(t.Context(), generator(t, "XXXS"), nil)
	require.ErrorContains(t, err, "holds tpox-2/tiny/")
}

func TestLoad_GoesOnWhereItStopped(t *testing.T) {
	d := generator(t, "XXXS")
	s := empty(t)
	ctx, cancel := context.WithCancel(t.Context())
	loadedSoFar := 0
	err := s.LoadDataset(ctx, d, func(documents int, _ int64) {
		if loadedSoFar += documents; loadedSoFar > 30_000 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	rest := 0
	require.NoError(t, s.LoadDataset(t.Context(), d, func(documents int, _ int64) { rest += documents }))
	require.Less(t, rest, 75_833-25_000)
	for table, want := range map[string]int{
		"securities": 20_833, "customers": 5_000, "accounts": int(d.TotalAccounts()), "orders": 50_000,
	} {
		var n int
		require.NoError(t, s.reading.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
		require.Equal(t, want, n, table)
	}
}
