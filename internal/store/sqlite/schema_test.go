package sqlite

import (
	"maps"
	"os"
	"path/filepath"
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

// Another version is refused with a sentence, and neither changed nor removed by mistake.
func TestOpen_OtherVersion(t *testing.T) {
	for name, c := range map[string]struct{ change, says string }{
		"Newer": {
			"UPDATE settings SET value = '7' WHERE name = 'schema.version'",
			"schema version 7 is newer than this program supports (1); use a newer release",
		},
		"Unreleased": {
			"DELETE FROM settings; PRAGMA user_version = 3",
			"its schema was made by an unreleased version of this program; load it into a new database",
		},
		"NoIdentity": {
			"DELETE FROM settings WHERE name = 'database.identity'",
			"its schema was made by an unreleased version of this program; load it into a new database",
		},
		"Foreign": {
			"DROP TABLE leases; PRAGMA user_version = 1",
			"it is a database, but not of this program",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "x.db")
			emptyAt(t, path)
			execute(t, path, c.change)
			before := content(t, dir)
			for _, options := range []store.Options{{}, {AsIs: true}} {
				_, err := Open(t.Context(), path, options)
				require.EqualError(t, err, "open database "+path+": "+c.says)
			}
			require.True(t, maps.Equal(before, content(t, dir)), "changed")
			err := Remove(t.Context(), path)
			if name == "Foreign" {
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			require.NoFileExists(t, path)
		})
	}
}

// A command that only reads creates neither a file nor a schema.
func TestOpen_AsIs(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "empty.db"), nil)
	_, err := Open(t.Context(), filepath.Join(dir, "none.db"), store.Options{AsIs: true})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Open(t.Context(), filepath.Join(dir, "empty.db"), store.Options{AsIs: true})
	require.ErrorContains(t, err, "empty.db is an empty file")
	require.Equal(t, map[string]string{"empty.db": ""}, content(t, dir))
}

// requireOpens opens a database and finds its order.
func requireOpens(t testing.TB, path string, options store.Options) {
	t.Helper()
	s := opened(t, path, options)
	requireOrder(t, s, 1)
	require.NoError(t, s.Close())
}
