package sqlite

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
)

// A file of another program, or of another version of this one, is refused with a sentence and not changed. One of
// another version can be removed.
func TestOpen_Refused(t *testing.T) {
	change := func(statements string) func(path string) {
		return func(path string) { emptyAt(t, path); execute(t, path, statements) }
	}
	for name, c := range map[string]struct {
		prepare func(path string)
		says    string
		ours    bool
	}{
		"Text": {func(path string) { writeFile(t, path, []byte(strings.Repeat("no database\n", 500))) },
			"it is not a database of this program: file is not a database", false},
		"OtherTables": {func(path string) { execute(t, path, "CREATE TABLE t (x)") },
			"it is a database, but not of this program", false},
		"Foreign": {change("DROP TABLE leases; PRAGMA user_version = 1"), "it is a database, but not of this program", false},
		"Newer": {change("UPDATE settings SET value = '7' WHERE name = 'schema.version'"),
			"schema version 7 is newer than this program supports (1); use a newer release", true},
		"Unreleased": {change("DELETE FROM settings WHERE name = 'database.identity'"),
			"the schema was made by an unreleased version of this program", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "x.db")
			c.prepare(path)
			before := content(t, dir)
			for does, do := range commandsOn(t, path) {
				if c.ours && (does == "restore" || does == "remove") {
					continue
				}
				err := do()
				if name == "Text" && does == "restore" {
					require.ErrorContains(t, err, "is not a database")
				} else {
					require.ErrorContains(t, err, "open database "+path+": ", does)
					require.ErrorContains(t, err, c.says, does)
				}
				require.Equal(t, before["x.db"], content(t, dir)["x.db"], does)
			}
			if c.ours {
				require.NoError(t, Remove(t.Context(), path))
				require.NoFileExists(t, path)
			}
		})
	}
}

// A command that only reads does not make a database of an empty file.
func TestOpen_AsIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.db")
	writeFile(t, path, nil)
	for _, does := range []string{"open as it is", "back up"} {
		require.ErrorContains(t, commandsOn(t, path)[does](), path+" is an empty file", does)
	}
	require.Equal(t, map[string]string{"empty.db": ""}, content(t, filepath.Dir(path)))
}

// requireOpens requires that a database can be opened and holds order 1.
func requireOpens(t testing.TB, path string, options store.Options) {
	t.Helper()
	s := opened(t, path, options)
	requireOrder(t, s, 1)
	require.NoError(t, s.Close())
}
