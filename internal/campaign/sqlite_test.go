package campaign

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	opened, err := Open("sqlite:"+filepath.Join(folder, "b.db"), folder, Commands{})
	require.NoError(t, err)
	e := opened.(sqliteSubject)
	ctx := t.Context()
	name, err := e.Holds(ctx)
	require.NoError(t, err)
	require.Empty(t, name)
	require.NoFileExists(t, e.path, "Holds creates nothing")
	testSubject(t, e, func(do func(tpox.Store) error) error {
		return e.with(ctx, false, func(s store.Bulk) error { return do(s) })
	})
	restored, err := e.Restore(ctx)
	require.NoError(t, err)
	space, err := e.Space(ctx)
	require.NoError(t, err)
	require.Equal(t, space.Total, restored.Database)

	s, err := e.Describe(ctx)
	require.NoError(t, err)
	require.Equal(t, "sqlite", s.Engine)
	require.Regexp(t, `^3\.`, s.Version)
	require.Contains(t, s.Durability, "flushed")
	require.Equal(t, "4096", s.Settings["page_size"])
	require.Contains(t, s.Settings["compression"], "zstd")
	require.NoError(t, removeFile(e.BackupFile()))
	require.NoError(t, removeFile(e.BackupFile()), "a second time too")
}

func TestOpen_Refusals(t *testing.T) {
	for url, says := range map[string]string{"": "is not a database", "sqlite:": "without the path",
		"oracle:x": "no kind of databases"} {
		_, err := Open(url, t.TempDir(), Commands{})
		require.ErrorContains(t, err, says)
	}
}

// An empty file is an empty database.
func TestSQLite_EmptyFile(t *testing.T) {
	e, err := newSQLite(testenv.File(t, "b.db", ""), "")
	require.NoError(t, err)
	name, err := e.Holds(t.Context())
	require.NoError(t, err)
	require.Empty(t, name)
	require.NoError(t, e.Create(t.Context()))
}

// Another file is refused and stays unchanged.
func TestSQLite_OtherFile(t *testing.T) {
	path := testenv.File(t, "b.db", "a letter, and no database")
	e, err := newSQLite(path, "")
	require.NoError(t, err)
	_, err = e.Holds(t.Context())
	require.Error(t, err)
	require.Error(t, e.Create(t.Context()))
	require.Equal(t, "a letter, and no database", testenv.Text(t, path))
}
