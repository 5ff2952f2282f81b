package sqlite

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every command that may write, by a symbolic link: what is replaced is what it
// leads to, and what is beside the link stays empty.
func TestOpen_SymbolicLink(t *testing.T) {
	dir, beside := t.TempDir(), t.TempDir()
	path, link := filepath.Join(dir, "b.db"), filepath.Join(beside, "link.db")
	relative, err := filepath.Rel(beside, path)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(relative, link)) // to a file that is still to be made

	s := opened(t, link, Options{})
	_, err = s.InsertOrder(t.Context(), now(), order(generator(t, "tiny"), 1))
	require.NoError(t, err)
	_, err = Open(t.Context(), path, Options{})
	require.EqualError(t, err, path+" is in use by another process")
	require.ErrorContains(t, Remove(t.Context(), link), "is in use")
	var backup bytes.Buffer
	_, err = Backup(t.Context(), link, &backup, nil)
	require.NoError(t, err)
	require.NoError(t, s.Close())

	file := filepath.Join(beside, "backup.zst")
	require.NoError(t, os.WriteFile(file, backup.Bytes(), 0o600))
	_, err = Restore(t.Context(), file, link, true, nil)
	require.NoError(t, err)
	require.NoError(t, Remove(t.Context(), link))
	require.NoFileExists(t, path)
	_, err = Restore(t.Context(), file, link, false, nil)
	require.NoError(t, err)
	requireOrder1(t, path)
	requireOrder1(t, link)

	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.Equal(t, os.ModeSymlink, info.Mode().Type())
	require.Equal(t, []string{"backup.zst", "link.db"}, entries(t, beside))
	require.Equal(t, []string{"b.db", "b.db-lock"}, entries(t, dir))
}

func requireOrder1(t *testing.T, path string) {
	t.Helper()
	s := opened(t, path, Options{AsIs: true})
	_, err := s.GetOrder(t.Context(), 1)
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

// A journal is found by the name, so a file of two names would have two. A
// backup by the other name would lack what is in the journal.
func TestOpen_HardLink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.db")
	other := path + ".other"
	s := opened(t, path, Options{})
	require.NoError(t, os.Link(path, other))
	const says = "is one of 2 names of the same file"
	for _, name := range []string{path, other} {
		_, err := Backup(t.Context(), name, io.Discard, nil)
		require.ErrorContains(t, err, says)
	}
	require.NoError(t, s.Close())
	for _, name := range []string{path, other} {
		for _, options := range []Options{{}, {AsIs: true}} {
			_, err := Open(t.Context(), name, options)
			require.ErrorContains(t, err, says)
		}
		require.ErrorContains(t, Remove(t.Context(), name), says)
	}
	require.NoError(t, os.Remove(other))
	opened(t, path, Options{})
}

func TestOpen_NoFile(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(t.Context(), dir, Options{})
	require.EqualError(t, err, dir+" is not a file")
	missing := filepath.Join(dir, "missing")
	_, err = Open(t.Context(), filepath.Join(missing, "b.db"), Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "there is no folder "+missing)
	loop := filepath.Join(dir, "loop.db")
	require.NoError(t, os.Symlink(loop, loop))
	_, err = Open(t.Context(), loop, Options{})
	require.ErrorContains(t, err, "too many links")
}

// The file that is locked is the one that the path names afterwards, however often it is replaced meanwhile.
func TestLock_Replaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.db")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			err := os.WriteFile(path+".new", nil, 0o600)
			if err == nil {
				err = os.Rename(path+".new", path)
			}
			select {
			case <-stop:
				stopped <- err
				return
			default:
			}
			if err != nil {
				stopped <- err
				return
			}
			runtime.Gosched()
		}
	}()
	for range 200 {
		l, err := lockDatabase(path, true)
		if err != nil {
			require.ErrorIs(t, err, errMoved)
			continue
		}
		if l.file != nil {
			held, err := l.file.Stat()
			require.NoError(t, err)
			require.True(t, os.SameFile(held, l.info))
		}
		require.NoError(t, l.Close())
	}
	close(stop)
	require.NoError(t, <-stopped)

	l, err := lockDatabase(path, true)
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	there, err := os.Stat(path)
	require.NoError(t, err)
	require.True(t, os.SameFile(there, l.info))
}

// A file that was put in the place of the database under an open store is what it
// is when the next one opens it: the journal of the old one is not mixed into it.
func TestClose_Replaced(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "b.db"), filepath.Join(dir, "other.db")
	s := opened(t, other, Options{})
	_, err := s.InsertOrder(t.Context(), now(), order(generator(t, "tiny"), 1))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	want, err := os.ReadFile(other)
	require.NoError(t, err)

	s = opened(t, path, Options{})
	for n := range int64(50) {
		_, err := s.InsertOrder(t.Context(), now(), order(generator(t, "tiny"), n+2))
		require.NoError(t, err)
	}
	require.NoError(t, os.Rename(other, path))
	require.NoError(t, s.Close())

	requireOrder1(t, path)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got), "the other file is not what it was")
	s = opened(t, path, Options{AsIs: true})
	requireClean(t, s)
	require.NoError(t, s.Close())
	aside, err := filepath.Glob(path + "-wal.*")
	require.NoError(t, err)
	require.Len(t, aside, 1, "what was written last is not thrown away")
}
