package campaign

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDB2(t *testing.T) {
	folder := t.TempDir()
	marks := filepath.Join(folder, "marks")
	opened, err := Open("db2://me@h/TPOX?schema=tpox", folder,
		Commands{Backup: "echo b >>" + marks, Restore: "echo r >>" + marks})
	require.NoError(t, err)
	require.Equal(t, "db2://me@h/TPOX?schema=tpox", opened.URL())
	require.Empty(t, opened.Lacks(KindBackup))
	require.NoFileExists(t, opened.BackupFile())
	_, err = opened.Backup(t.Context())
	require.NoError(t, err)
	require.FileExists(t, opened.BackupFile())
	_, err = opened.Restore(t.Context())
	require.NoError(t, err)
	require.FileExists(t, marks)
}

func TestDB2_Commands(t *testing.T) {
	opened, err := Open("db2://me@h/TPOX", t.TempDir(), Commands{Restore: "echo why; exit 3"})
	require.NoError(t, err)
	require.NotEmpty(t, opened.Lacks(KindBackup))
	require.Empty(t, opened.Lacks(KindRun))
	_, err = opened.Restore(t.Context())
	require.ErrorContains(t, err, "why")
}
