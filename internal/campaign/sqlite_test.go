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

// An empty file is an empty database.
func TestSQLite_EmptyFile(t *testing.T) {
	e, err := newSQLite(testenv.File(t, "b.db", ""), "")
	require.NoError(t, err)
	name, err := e.Holds(t.Context())
	require.NoError(t, err)
	require.Empty(t, name)
	require.NoError(t, e.Create(t.Context()))
}
