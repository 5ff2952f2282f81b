package output_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/output"
	"brokerage/internal/testenv"
)

func names(t testing.TB, dir string) []string {
	t.Helper()
	found, err := fs.Glob(os.DirFS(dir), "*")
	require.NoError(t, err)
	return found
}

func TestWrite(t *testing.T) {
	path := testenv.File(t, "out", "old")
	dir := filepath.Dir(path)
	half := ""
	writing := func(err error) func(*os.File) error {
		return func(f *os.File) error {
			info, statErr := f.Stat()
			require.NoError(t, statErr)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "from the start")
			require.NotEqual(t, half, f.Name(), "a random name")
			half = f.Name()
			whole, ok := output.HalfOf(filepath.Base(half))
			require.True(t, ok)
			require.Equal(t, "out", whole)
			_, writeErr := f.WriteString("new")
			require.NoError(t, writeErr)
			require.Equal(t, "old", testenv.Text(t, path))
			return err
		}
	}
	fault := errors.New("fault")
	require.ErrorIs(t, output.Write(t.Context(), path, 0o644, writing(fault)), fault)
	require.Equal(t, "old", testenv.Text(t, path))
	require.Equal(t, []string{"out"}, names(t, dir))

	require.NoError(t, output.Write(t.Context(), path, 0o640, writing(nil)))
	require.Equal(t, "new", testenv.Text(t, path))
	require.Equal(t, []string{"out"}, names(t, dir))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
}

func TestHalfOf(t *testing.T) {
	for name, want := range map[string]string{
		".a.xml.123.partial": "a.xml", ".a.1.partial": "a", "a.1.partial": "", ".a.partial": "", ".a.1": "", ".partial": "",
	} {
		whole, ok := output.HalfOf(name)
		require.Equal(t, want, whole, name)
		require.Equal(t, want != "", ok, name)
	}
}
