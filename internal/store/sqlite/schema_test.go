package sqlite

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
)

// setVersion makes a database look like one of another version of the program.
func setVersion(t testing.TB, path, version string) {
	t.Helper()
	execute(t, path, "UPDATE settings SET value = '"+version+"' WHERE name = 'schema.version'")
}

// The schema is made once, with an identity that stays.
func TestOpen_Schema(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "brokerage.db")
	s := opened(t, path, store.Options{Notice: func(text string) { t.Error(text) }})
	require.True(t, s.Made())
	require.Equal(t, store.SchemaVersion, s.stamp.Version)
	require.Regexp(t, `^[0-9a-f]{32}$`, s.stamp.Identity)
	require.NoError(t, s.Close())
	require.Equal(t, []string{"brokerage.db"}, entries(t, dir))

	again := opened(t, path, store.Options{AsIs: true})
	require.False(t, again.Made())
	require.Equal(t, s.stamp, again.stamp)
	require.NoError(t, again.Close())
	other := opened(t, filepath.Join(dir, "other.db"), store.Options{})
	require.NotEqual(t, s.stamp.Identity, other.stamp.Identity)
}

// A file of another program, or of another version of this one, is refused with a sentence and not changed. One of
// another version can be removed.
func TestOpen_Refused(t *testing.T) {
	const unreleased = "its schema was made by an unreleased version of this program; load it into a new database"
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
		"Unreleased": {change("DELETE FROM settings; PRAGMA user_version = 3"), unreleased, true},
		"NoIdentity": {change("DELETE FROM settings WHERE name = 'database.identity'"), unreleased, true},
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

// A command that only reads creates neither a file nor a schema.
func TestOpen_AsIs(t *testing.T) {
	dir := t.TempDir()
	none, empty := filepath.Join(dir, "none.db"), filepath.Join(dir, "empty.db")
	writeFile(t, empty, nil)
	for path, says := range map[string]string{none: "no such file", empty: empty + " is an empty file"} {
		_, err := Open(t.Context(), path, store.Options{AsIs: true})
		require.ErrorContains(t, err, says)
		_, _, err = Backup(t.Context(), path, io.Discard, nil)
		require.ErrorContains(t, err, says)
	}
	require.Equal(t, map[string]string{"empty.db": ""}, content(t, dir))
}

// requireOpens opens a database and finds its order.
func requireOpens(t testing.TB, path string, options store.Options) {
	t.Helper()
	s := opened(t, path, options)
	requireOrder(t, s, 1)
	require.NoError(t, s.Close())
}
