package sqlite

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"brokerage/internal/store"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// redirect redirects all open descriptors of a file in this process to another file.
func redirect(t *testing.T, path, to string, flags int) {
	t.Helper()
	descriptors, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	other, err := os.OpenFile(to, flags, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	redirected := 0
	for _, descriptor := range descriptors {
		fd, err := strconv.Atoi(descriptor.Name())
		require.NoError(t, err)
		name, err := os.Readlink("/proc/self/fd/" + descriptor.Name())
		if err == nil && name == path && fd != int(other.Fd()) {
			require.NoError(t, unix.Dup3(int(other.Fd()), fd, unix.O_CLOEXEC))
			redirected++
		}
	}
	require.Positive(t, redirected)
}

// A disk accepts writes but fails to flush them: whether a write survives a crash is unknown, and the answer does not
// deny it.
func TestWriter_FlushFails(t *testing.T) {
	s := empty(t)
	redirect(t, s.path+"-wal", os.DevNull, os.O_RDWR)
	_, err := s.InsertOrder(t.Context(), now(), order(1))
	unavailable, ok := errors.AsType[*tpox.Unavailable](err)
	require.True(t, ok, "%v", err)
	require.ErrorContains(t, err, "(1034)", "an error of the flush")
	require.True(t, unavailable.Unknown)
}

// A disk that cannot be read: every descriptor of the database becomes write-only. SQLite's own check reports that as
// damage.
func TestVerify_IOError(t *testing.T) {
	s, err := Open(t.Context(), tinyDatabase(t), store.Options{AsIs: true}) // it has read hardly anything yet
	require.NoError(t, err)
	defer func() { _ = s.Close() }() // it cannot be read any more
	s.reading.SetMaxIdleConns(1)
	require.Positive(t, scan[int](t, s.reading, "SELECT count(*) FROM sqlite_schema"))
	redirect(t, s.path, s.path, os.O_WRONLY)
	_, err = s.Verify(t.Context(), invented(t), nil)
	require.Error(t, err)
}

func TestBackup_FullDisk(t *testing.T) {
	path, before := tinyDatabase(t), smallBackup(t)
	dir := testenv.SmallDisk(t, "1m")
	file := filepath.Join(dir, "backup")
	writeFile(t, file, before)
	_, err := BackupTo(t.Context(), path, file, true, nil)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NotContains(t, err.Error(), "\n")
	require.Equal(t, map[string]string{"backup": string(before)}, content(t, dir))
}

func TestRestore_FullDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "backup")
	_, err := BackupTo(t.Context(), tinyDatabase(t), file, false, nil)
	require.NoError(t, err)
	dir := testenv.SmallDisk(t, "1m")
	path := filepath.Join(dir, "b.db")
	emptyAt(t, path)
	before := content(t, dir)
	_, err = Restore(t.Context(), file, path, true, nil)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NotContains(t, err.Error(), "\n")
	require.Equal(t, before, content(t, dir))
}

// Killing a process cannot show that an answer comes after the flush of its group, nor that the folder is flushed after
// the file was created. The system calls of a client that writes one order after another show it.
func TestFlush_BeforeTheAnswer(t *testing.T) {
	strace := testenv.Command(t, "strace")
	dir := t.TempDir()
	path, trace := filepath.Join(dir, "brokerage.db"), filepath.Join(dir, "trace")
	cmd := exec.CommandContext(
		t.Context(), strace, "-f", "-y", "-o", trace, "-e", "trace=write,pwrite64,fsync,fdatasync,openat", os.Args[0],
	)
	cmd.Env = append(os.Environ(), victimEnv+"=insert\n"+path)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, inTurn, strings.Count(string(out), "order "))

	wal := regexp.QuoteMeta(path + "-wal")
	writes := regexp.MustCompile(`pwrite64\(\d+<` + wal + `>`)
	flushes := regexp.MustCompile(`(fsync|fdatasync)\(\d+<` + wal + `>`)
	folder := regexp.MustCompile(`fsync\(\d+<` + regexp.QuoteMeta(dir) + `>`)
	answers := regexp.MustCompile(`write\(1<.*"order \d+\\n"`)
	unflushed, written, answered, withTimes, folderFlushed := false, 0, 0, 0, false
	for line := range bytes.Lines(readFile(t, trace)) {
		switch {
		case writes.Match(line):
			unflushed = true
			written++
		case flushes.Match(line):
			unflushed = false
			if bytes.Equal(flushes.FindSubmatch(line)[1], []byte("fsync")) {
				withTimes++
			}
		case folder.Match(line):
			folderFlushed = true
		case answers.Match(line):
			answered++
			require.True(t, folderFlushed, "an answer before the folder was flushed")
			require.False(t, unflushed, "an answer before the flush of what it says")
		}
	}
	require.Equal(t, inTurn, answered)
	require.GreaterOrEqual(t, written, inTurn, "the trace shows the writes")
	require.LessOrEqual(t, withTimes, 1, "after the first flush, when the journal is new, no time of the file is flushed")
}

// A command that this process starts has its files open for a moment, after fork and before exec. A lock that ends then
// must not stay with it.
func TestLock_Forked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.db")
	l, err := lockDatabase(path, true)
	require.NoError(t, err)
	for _, f := range []*os.File{l.name, l.file} {
		if f == nil {
			continue
		}
		as, err := unix.Dup(int(f.Fd()))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, unix.Close(as)) })
	}
	require.NoError(t, l.Close())
	l, err = lockDatabase(path, false)
	require.NoError(t, err)
	require.NoError(t, l.Close())
}
