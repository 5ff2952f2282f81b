package sqlite

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
)

// commandsOn returns the commands that use the database at path, by name. Each refuses a file that is unsafe to use.
func commandsOn(t testing.TB, path string) map[string]func() error {
	t.Helper()
	backup := written(t, smallBackup(t))
	return map[string]func() error{
		"open":          func() error { return errOf(Open(t.Context(), path, store.Options{})) },
		"open as it is": func() error { return errOf(Open(t.Context(), path, store.Options{AsIs: true})) },
		"back up":       func() error { _, _, err := Backup(t.Context(), path, io.Discard, nil); return err },
		"restore":       func() error { return errOf(Restore(t.Context(), backup, path, true, nil)) },
		"remove":        func() error { return Remove(t.Context(), path) },
	}
}

// Every command that may write uses the target of a symbolic link: the target is replaced, and no file is created
// beside the link.
func TestOpen_SymbolicLink(t *testing.T) {
	dir, beside := t.TempDir(), t.TempDir()
	path, link := filepath.Join(dir, "b.db"), filepath.Join(beside, "link.db")
	relative, err := filepath.Rel(beside, path)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(relative, link)) // to a file that does not exist yet

	s := opened(t, link, store.Options{})
	insert(t, s, 1)
	_, err = Open(t.Context(), path, store.Options{})
	require.EqualError(t, err, path+" is in use by another process")
	require.ErrorContains(t, Remove(t.Context(), link), "is in use")
	var backup bytes.Buffer
	_, _, err = Backup(t.Context(), link, &backup, nil)
	require.NoError(t, err)
	require.NoError(t, s.Close())

	file := filepath.Join(beside, "backup.zst")
	writeFile(t, file, backup.Bytes())
	_, err = Restore(t.Context(), file, link, true, nil)
	require.NoError(t, err)
	require.NoError(t, Remove(t.Context(), link))
	require.NoFileExists(t, path)
	_, err = Restore(t.Context(), file, link, false, nil)
	require.EqualError(t, err, link+" is not a file", "a link to nothing would be replaced by the database")
	_, err = Restore(t.Context(), file, path, false, nil)
	require.NoError(t, err)
	requireOpens(t, path, store.Options{AsIs: true})
	requireOpens(t, link, store.Options{AsIs: true})

	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.Equal(t, os.ModeSymlink, info.Mode().Type())
	require.Equal(t, []string{"backup.zst", "link.db"}, entries(t, beside))
	require.Equal(t, []string{"b.db"}, entries(t, dir))
}

// A journal is found by the name, so a file with two names would have two journals. A backup by the other name would
// lack what is in the journal.
func TestOpen_HardLink(t *testing.T) {
	s := empty(t)
	path, other := s.path, s.path+".other"
	require.NoError(t, os.Link(path, other))
	const says = "is one of 2 names of the same file"
	for _, name := range []string{path, other} {
		_, _, err := Backup(t.Context(), name, io.Discard, nil)
		require.ErrorContains(t, err, says)
	}
	require.NoError(t, s.Close())
	for _, name := range []string{path, other} {
		for does, do := range commandsOn(t, name) {
			require.ErrorContains(t, do(), says, does)
		}
	}
	require.NoError(t, os.Remove(other))
	opened(t, path, store.Options{})
}

func TestOpen_Folder(t *testing.T) {
	dir := t.TempDir()
	require.EqualError(t, errOf(Open(t.Context(), dir, store.Options{})), dir+" is not a file")
}

// A journal whose database is missing or empty holds the last writes: no command removes it, and with the database put
// back they are there.
func TestOpen_JournalAlone(t *testing.T) {
	s := empty(t)
	insert(t, s, 1)
	database, journal := readFile(t, s.path), readFile(t, s.path+"-wal") // as a killed process leaves them
	require.NotEmpty(t, journal)
	for name, leave := range map[string]func(path string){
		"Missing": func(string) {},
		"Empty":   func(path string) { writeFile(t, path, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "b.db")
			leave(path)
			writeFile(t, path+"-wal", journal)
			before := content(t, filepath.Dir(path))
			link := filepath.Join(t.TempDir(), "link.db")
			require.NoError(t, os.Symlink(path, link))
			commands := commandsOn(t, path)
			commands["open by a link"] = func() error { return errOf(Open(t.Context(), link, store.Options{})) }
			says := path + " is missing or empty, and its journal " + path +
				"-wal holds its last writes: put the database back beside it, or remove the journal if these writes are not needed"
			for does, do := range commands {
				err := do()
				require.Error(t, err, does)
				require.True(t, maps.Equal(before, content(t, filepath.Dir(path))), does)
				if strings.HasPrefix(does, "open") && does != "open as it is" || does == "restore" {
					require.EqualError(t, err, says, does)
				}
			}

			writeFile(t, path, database)
			requireOrder(t, opened(t, path, store.Options{}), 1)
		})
	}
}

// A file that has replaced the database of an open store is not opened with the journal of that database, neither while
// the store is open nor afterwards.
func TestClose_Replaced(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "b.db"), filepath.Join(dir, "other.db")
	s := opened(t, other, store.Options{})
	insert(t, s, 1)
	require.NoError(t, s.Close())
	want := readFile(t, other)

	s = opened(t, path, store.Options{})
	for id := range int64(50) {
		insert(t, s, id+2)
	}
	require.NoError(t, os.Rename(other, path))
	for _, options := range []store.Options{{}, {AsIs: true}} {
		require.EqualError(t, errOf(Open(t.Context(), path, options)), path+" is in use by another process")
	}
	require.ErrorContains(t, Remove(t.Context(), path), "is in use")
	require.NoError(t, s.Close())

	requireOpens(t, path, store.Options{AsIs: true})
	require.True(t, bytes.Equal(want, readFile(t, path)), "the other file has changed")
	findings, _ := verified(t, path)
	require.Empty(t, findings)
	aside, err := filepath.Glob(path + "-wal.*")
	require.NoError(t, err)
	require.Len(t, aside, 1, "what was written last is kept")
}
