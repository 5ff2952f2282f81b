package access_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/access"
)

func TestFiles_Changed(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) { require.NoError(t, os.WriteFile(path(name), []byte(text), 0o600)) }
	write("a", "1")
	files := access.Look(path("a"), path("b"))
	for _, c := range []struct {
		what    string
		do      func()
		changed bool
	}{
		{"nothing", func() {}, false},
		{"the second comes", func() { write("b", "1") }, true},
		{"nothing", func() {}, false},
		{"another size", func() { write("a", "22") }, true},
		{"another time", func() { require.NoError(t, os.Chtimes(path("a"), time.Time{}, time.Unix(1, 0))) }, true},
		{"another mode", func() { require.NoError(t, os.Chmod(path("b"), 0o400)) }, true},
		{"it goes", func() { require.NoError(t, os.Remove(path("b"))) }, true},
		{"it is still gone", func() {}, false},
		{"behind a link", func() {
			write("v1", "1")
			require.NoError(t, os.Symlink("v1", path("b")))
		}, true},
		{"the link leads elsewhere", func() {
			write("v2", "1")
			require.NoError(t, os.Symlink("v2", path("new")))
			require.NoError(t, os.Rename(path("new"), path("b")))
		}, true},
		{"nothing", func() {}, false},
	} {
		c.do()
		require.Equal(t, c.changed, files.Changed(), c.what)
	}
}
