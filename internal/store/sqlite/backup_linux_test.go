package sqlite

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

func TestBackup_FullDisk(t *testing.T) {
	path := tinyDatabase(t)
	dir := testenv.SmallDisk(t, "1m")
	file := filepath.Join(dir, "backup")
	before := smallBackup(t)
	require.NoError(t, os.WriteFile(file, before, 0o666))
	_, err := BackupTo(t.Context(), path, file, true, nil)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NotContains(t, err.Error(), "\n")
	require.Equal(t, []string{"backup"}, entries(t, dir))
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestRestore_FullDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "backup")
	_, err := BackupTo(t.Context(), tinyDatabase(t), file, false, nil)
	require.NoError(t, err)
	dir := testenv.SmallDisk(t, "1m")
	path := filepath.Join(dir, "b.db")
	emptyAt(t, path)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = Restore(t.Context(), file, path, true, nil)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NotContains(t, err.Error(), "\n")
	require.Equal(t, []string{"b.db", "b.db-lock"}, entries(t, dir))
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
}
