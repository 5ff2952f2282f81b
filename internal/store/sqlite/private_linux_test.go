package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"brokerage/internal/store"
)

// The umask of the tests forbids nothing, so that the mode of each file is what the program asks for.
func init() { unix.Umask(0) }

// Only the owner can open what the program makes: the database, its journal, a backup, a restored database.
func TestFiles_Private(t *testing.T) {
	dir := t.TempDir()
	path, backup, restored := filepath.Join(dir, "b.db"), filepath.Join(dir, "b.backup"), filepath.Join(dir, "restored.db")
	s := opened(t, path, store.Options{Notice: func(text string) { t.Error(text) }})
	insert(t, s, 1)
	_, _, err := BackupTo(t.Context(), path, backup, false, nil)
	require.NoError(t, err)
	_, err = Restore(t.Context(), backup, restored, false, nil)
	require.NoError(t, err)
	for _, name := range entries(t, dir) {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode(), name)
	}
	require.Len(t, entries(t, dir), 5, "database, -wal, -shm, backup, restored database")
}

// A database that others can open is used, with a warning. Its journal gets the same mode, and a restore keeps it.
func TestFiles_Shared(t *testing.T) {
	for mode, others := range map[os.FileMode]string{0o660: "its group", 0o644: "every user"} {
		path := tinyDatabase(t)
		require.NoError(t, os.Chmod(path, mode))
		backup := filepath.Join(t.TempDir(), "backup")
		_, _, err := BackupTo(t.Context(), path, backup, false, nil)
		require.NoError(t, err)
		_, err = Restore(t.Context(), backup, path, true, nil)
		require.NoError(t, err)
		var said []string
		s := opened(t, path, store.Options{Notice: func(text string) { said = append(said, text) }})
		insert(t, s, 1)
		require.Equal(t, []string{fmt.Sprintf("%s can be opened by %s (mode %#o): chmod 600 makes it private", path, others,
			mode)}, said)
		for file, want := range map[string]os.FileMode{path: mode, path + "-wal": mode, backup: 0o600} {
			info, err := os.Stat(file)
			require.NoError(t, err)
			require.Equal(t, want, info.Mode(), strings.TrimPrefix(file, path))
		}
		require.NoError(t, s.Close())
	}
}
