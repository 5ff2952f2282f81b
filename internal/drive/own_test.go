package drive

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/workload"
)

// ownWorkload writes a workload file, and files beside it, and loads it.
func ownWorkload(t testing.TB, text string, files map[string]string) *workload.Definition {
	t.Helper()
	dir := t.TempDir()
	for name, contents := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(contents), 0o600))
	}
	file := filepath.Join(dir, "own.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return definition(t, file)
}

const ownStatements = `{"name": "own",
	"values": {
		"key": {"range": [1, 1000000000000]}, "word": {"list": ["a", "b'); DROP TABLE own; --"]}
	},
	"setup": {"sqlite": ["CREATE TABLE IF NOT EXISTS own (key INTEGER PRIMARY KEY, word TEXT)",
		"CREATE TABLE IF NOT EXISTS total (n INTEGER)", "@total.sql"], "postgres": ["@other.sql"], "db2": ["@total.sql"]},
	"transactions": [
		{"name": "put", "kind": "insert", "statements": {"sqlite": [
			{"text": "INSERT INTO own (key, word) VALUES ({key}, {word})", "rows": [1, 1]},
			{"text": "UPDATE total SET n = n + 1 RETURNING n", "rows": [1, 1]}]}},
		{"name": "find", "kind": "query", "statements": {"sqlite": [
			{"text": "SELECT typeof({key}), '{{', word FROM own WHERE word = {word} LIMIT 3", "rows": [0, 3]}]}},
		{"name": "twice", "kind": "insert", "statements": {"sqlite": [
			{"text": "UPDATE total SET n = n + 1000"}, {"text": "INSERT INTO total SELECT n FROM missing"}]}}
	],
	"mix": [{"transaction": "put", "weight": 1}, {"transaction": "find", "weight": 1}]}`

// The statements of a transaction run as one. Values are parameters, and numbers are sent as numbers.
func TestOwn_Statements(t *testing.T) {
	d := ownWorkload(t, ownStatements, map[string]string{
		"total.sql": "INSERT INTO total SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM total)", "other.sql": "SELECT 2",
	})
	s := openSQLite(t, filepath.Join(t.TempDir(), "own.db")) // without a dataset
	r := driven(t, direct(t, s, "sqlite:own.db"), Plan{Definition: d, Users: 4, Count: 1000, Seed: 1})
	require.Empty(t, r.Total.Unexpected)
	require.Equal(t, int64(1000), r.Total.Good)
	require.Equal(t, "none", r.Dataset.Fingerprint)
	puts := r.Transactions[0].Good
	require.Equal(t, "put", r.Transactions[0].Name)
	require.Equal(t, "insert", r.Transactions[0].Kind)
	rows := func(text string, args ...any) int64 {
		n, err := s.RunScript(t.Context(), true, []store.ScriptStatement{{Text: text, Args: args}})
		require.NoError(t, err)
		return n[0]
	}
	require.Equal(t, puts, rows("SELECT 1 FROM own WHERE typeof(key) = 'integer'"))
	require.Equal(t, int64(1), rows("SELECT 1 FROM total WHERE n = ?", puts))
	require.Equal(t, int64(2), rows("SELECT DISTINCT word FROM own"))
}

// A statement that the database refuses is found before the load if possible, or else counted by its error code.
func TestOwn_StatementsRefused(t *testing.T) {
	d := ownWorkload(t, ownStatements, map[string]string{"total.sql": "SELECT 1", "other.sql": "SELECT 2"})
	b := direct(t, openSQLite(t, filepath.Join(t.TempDir(), "own.db")), "sqlite:own.db")
	c := Plan{Definition: d, Users: 1, Count: 10, Seed: 1} // a single user draws the same keys in each run
	require.NoError(t, d.SetWeights("twice=1"))
	_, err := Run(t.Context(), c, b)
	require.ErrorContains(t, err, "the transaction twice: ")
	require.ErrorContains(t, err, "no such table: missing")
	_, err = Run(t.Context(), c, direct(t, nullStore(t), "null:"))
	require.ErrorContains(t, err, "the transaction twice has no statements for null")

	require.NoError(t, d.SetWeights("put=1"))
	r := driven(t, b, c) // total is empty, so that the update changes no row
	require.Equal(t, map[string]int64{"wrong-answer": 10}, r.Total.Unexpected)
	r = driven(t, b, c) // the keys exist
	require.Equal(t, map[string]int64{"SQLite 1555": 10}, r.Total.Unexpected)
}
