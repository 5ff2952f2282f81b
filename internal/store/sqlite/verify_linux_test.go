package sqlite

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A disk that cannot be read: every descriptor of the database becomes one that can
// only be written to. SQLite's own check reports that as damage.
func TestVerify_IOError(t *testing.T) {
	d := generator(t, "tiny")
	path := filepath.Join(t.TempDir(), "b.db")
	s := opened(t, path, Options{})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	require.NoError(t, s.Close())
	s, err := Open(t.Context(), path, Options{AsIs: true}) // it has read next to nothing yet
	require.NoError(t, err)
	defer func() { _ = s.Close() }() // it cannot be read any more
	s.reading.SetMaxIdleConns(1)
	var tables int
	require.NoError(t, s.reading.QueryRowContext(t.Context(), "SELECT count(*) FROM sqlite_schema").Scan(&tables))

	descriptors, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	deaf, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, deaf.Close()) }()
	broken := 0
	for _, descriptor := range descriptors {
		fd, err := strconv.Atoi(descriptor.Name())
		require.NoError(t, err)
		name, err := os.Readlink("/proc/self/fd/" + descriptor.Name())
		if err != nil || name != path || fd == int(deaf.Fd()) {
			continue
		}
		require.NoError(t, unix.Dup3(int(deaf.Fd()), fd, unix.O_CLOEXEC))
		broken++
	}
	require.Positive(t, broken)
	_, err = s.Verify(t.Context(), func(f string) error { t.Errorf("invented: %s", f); return nil }, nil)
	require.Error(t, err)
	t.Log(err)
}
