package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"brokerage/internal/store"
	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

func init() { victims["visit"], victims["lock"] = visitingVictim, lockingVictim }

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

// If a disk accepts writes but fails to flush them, it is unknown whether a write survives a crash. The error has
// Unknown set.
func TestWriter_FlushFails(t *testing.T) {
	s := empty(t)
	redirect(t, s.path+"-wal", os.DevNull, os.O_RDWR)
	err := errOf(s.InsertOrder(t.Context(), now(), order(1)))
	unavailable, ok := errors.AsType[*tpox.Unavailable](err)
	require.True(t, ok, "%v", err)
	require.ErrorContains(t, err, "(1034)", "an error of the flush")
	require.True(t, unavailable.Unknown)
}

// When the disk cannot be read (here every descriptor of the database becomes write-only), Verify returns an error
// and no finding, though SQLite's own check reports damage.
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

// A backup and a restore for which the disk has no room leave the file that they were to replace.
func TestCopy_FullDisk(t *testing.T) {
	path, backup, dir := tinyDatabase(t), filepath.Join(t.TempDir(), "backup"), testenv.SmallDisk(t, "1m")
	_, _, err := BackupTo(t.Context(), path, backup, false, nil)
	require.NoError(t, err)
	writeFile(t, filepath.Join(dir, "backup"), smallBackup(t))
	emptyAt(t, filepath.Join(dir, "b.db"))
	before := content(t, dir)
	requireFull := func(err error) {
		t.Helper()
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.NotContains(t, err.Error(), "\n")
		require.Equal(t, before, content(t, dir))
	}
	_, _, err = BackupTo(t.Context(), path, filepath.Join(dir, "backup"), true, nil)
	requireFull(err)
	_, err = Restore(t.Context(), backup, filepath.Join(dir, "b.db"), true, nil)
	requireFull(err)
}

// traced runs a victim on a database, brokerage.db in a folder, and returns its system calls and what it has printed.
func traced(t *testing.T, victim, calls, dir string) (trace iter.Seq[string], out string) {
	t.Helper()
	strace, file := testenv.Command(t, "strace"), filepath.Join(dir, "trace")
	cmd := exec.CommandContext(t.Context(), strace, "-f", "-y", "-o", file, "-e", "trace="+calls, os.Args[0])
	cmd.Env = append(os.Environ(), victimEnv+"="+victim+"\n"+filepath.Join(dir, "brokerage.db"))
	b, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", b)
	return strings.Lines(testenv.Text(t, file)), string(b)
}

// Killing a process cannot show that an answer comes after the flush of its group, nor that the folder is flushed after
// the file was created. The system calls of a client that writes one order after another show both.
func TestFlush_BeforeTheAnswer(t *testing.T) {
	dir := t.TempDir()
	trace, out := traced(t, "insert", "write,pwrite64,fsync,fdatasync,openat", dir)
	require.Equal(t, inTurn, strings.Count(out, "order "))
	folderName := regexp.QuoteMeta(dir)
	wal := folderName + "/brokerage.db-wal"
	writes := regexp.MustCompile(`pwrite64\(\d+<` + wal + `>`)
	flushes := regexp.MustCompile(`f(data)?sync\(\d+<` + wal + `>`)
	folder := regexp.MustCompile(`fsync\(\d+<` + folderName + `>`)
	answers := regexp.MustCompile(`write\(1<.*"order \d+\\n"`)
	unflushed, written, answered, folderFlushed := false, 0, 0, false
	for line := range trace {
		switch {
		case writes.MatchString(line):
			unflushed = true
			written++
		case flushes.MatchString(line):
			unflushed = false
		case folder.MatchString(line):
			folderFlushed = true
		case answers.MatchString(line):
			answered++
			require.True(t, folderFlushed, "an answer before the folder was flushed")
			require.False(t, unflushed, "an answer before the flush of the write")
		}
	}
	require.Equal(t, inTurn, answered)
	require.GreaterOrEqual(t, written, inTurn, "the trace shows the writes")
}

// A command that this process starts has this process's files open for a moment, after fork and before exec. A lock
// that ends in that moment must end for the command, too.
func TestLock_Forked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.db")
	l, err := lockDatabase(path, true)
	require.NoError(t, err)
	as, err := unix.Dup(int(l.file.Fd()))
	require.NoError(t, err)
	defer func() { require.NoError(t, unix.Close(as)) }()
	require.NoError(t, l.Close())
	l, err = lockDatabase(path, false)
	require.NoError(t, err)
	require.NoError(t, l.Close())
}

func TestLock_Network(t *testing.T) {
	for magic, want := range map[int64]bool{
		unix.NFS_SUPER_MAGIC: true, unix.CIFS_SUPER_MAGIC: true, unix.SMB2_SUPER_MAGIC: true,
		unix.EXT4_SUPER_MAGIC: false, unix.XFS_SUPER_MAGIC: false, unix.OVERLAYFS_SUPER_MAGIC: false, unix.TMPFS_MAGIC: false,
	} {
		require.Equal(t, want, isNetwork(&unix.Statfs_t{Type: magic}), "%#x", magic)
	}
}

// Closing any descriptor of the database ends all of SQLite's POSIX locks on it. So while SQLite holds one,
// no descriptor is closed; and the store's lock on the file is the first to be taken and the last to end.
func TestLock_Descriptors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "brokerage.db")
	require.NoError(t, os.Rename(tinyDatabase(t), path))
	trace, _ := traced(t, "visit", "open,openat,close,fcntl", dir)
	file := `<` + regexp.QuoteMeta(path) + `>`
	locking := regexp.MustCompile(`fcntl\((\d+)` + file + `, (F_SETLK|F_OFD_SETLK)\w*, ` +
		`\{l_type=F_(\w+), l_whence=SEEK_SET, l_start=(\d+), l_len=(\d+)`)
	closing := regexp.MustCompile(`close\((\d+)` + file)
	held := make(map[[2]uint64]bool) // SQLite's locks, by their first and their last byte
	taken, closed, own := 0, 0, ""
	for line := range trace {
		if call := locking.FindStringSubmatch(line); call != nil {
			var first, length uint64
			require.NoError(t, errOf(fmt.Sscan(call[4], &first)))
			require.NoError(t, errOf(fmt.Sscan(call[5], &length)))
			last := first + length - 1
			if length == 0 { // all to the end of the file
				last = math.MaxUint64
			}
			switch {
			case call[2] == "F_OFD_SETLK" && call[3] == "WRLCK":
				require.Empty(t, own, "locked twice")
				require.Zero(t, taken, "SQLite opened the database before")
				own = call[1]
			case call[2] == "F_OFD_SETLK":
				require.Empty(t, held, "SQLite still has the database open")
			case call[3] == "UNLCK":
				maps.DeleteFunc(held, func(of [2]uint64, _ bool) bool { return first <= of[0] && of[1] <= last })
			default:
				taken++
				held[[2]uint64{first, last}] = true
			}
		}
		if call := closing.FindStringSubmatch(line); call != nil {
			closed++
			require.Empty(t, held, "%s", line)
			require.NotEqual(t, "closed", own, "%s", line)
			if call[1] == own {
				own = "closed"
			}
		}
	}
	require.Equal(t, "closed", own)
	require.Greater(t, taken, 4)
	require.Greater(t, closed, 4)
}

// visitingVictim opens a database, inserts, backs up and verifies, which may open its file again, and closes it.
func visitingVictim(args []string) error {
	ctx := context.Background()
	s, err := Open(ctx, args[0], store.Options{})
	if err != nil {
		return err
	}
	_, inserted := s.InsertOrder(ctx, now(), order(1))
	_, _, backedUp := Backup(ctx, args[0], io.Discard, nil)
	_, verified := s.Verify(ctx, errors.New, nil)
	return errors.Join(inserted, backedUp, verified, s.Close())
}

// lockingVictim takes a shared lock on the byte that SQLite locks to write, and holds it until it is killed.
func lockingVictim(args []string) error {
	f, err := os.OpenFile(args[0]+"-shm", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // not before: closing it would end the lock
	const writeLock = 120            // WAL_WRITE_LOCK of SQLite
	l := unix.Flock_t{Type: unix.F_RDLCK, Start: writeLock, Len: 1}
	if err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &l); err != nil {
		return err
	}
	fmt.Println("locked")
	for { // not select {}: Go ends a process whose only goroutine waits for nothing
		time.Sleep(time.Hour)
	}
}

// While another process blocks all writes, each write ends with its request. After some seconds the store is not
// ready, with the reason, until it can write again.
func TestReady_Blocked(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := tinyStore(t)
	insert(t, s, 1)
	other := startVictim(t, "lock", s.path)
	other.requireLine(t, "locked")
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		began := time.Now()
		require.Error(t, errOf(s.InsertOrder(ctx, now(), order(2))))
		require.Less(t, time.Since(began), busyTimeout/2, "the request has ended")
		cancel()
	}
	require.NoError(t, s.Ready(t.Context()), "it may be over in a moment")
	requireUnready(t, s, "(5)", "SQLite's code for a lock of another")
	other.kill()
	requireReady(t, s)
	requireNoOrder(t, s, 2)
	insert(t, s, 2)
}

// While no write succeeds because the disk is full, the store is not ready, though it answers refusals; with room it is
// ready again, without a write of a client.
func TestReady_FullDisk(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	dir := testenv.SmallDisk(t, "24m")
	s := tinyIn(t, dir)
	ballast := testenv.FillDisk(t, dir, 16<<10)
	for id, refused := int64(1), 0; refused < 5; id++ { // in a row: a refusal makes room in the journal
		if refused++; errOf(s.InsertOrder(t.Context(), now(), order(id))) == nil {
			refused = 0
		}
	}
	require.ErrorAs(t, s.DeleteOrder(t.Context(), now(), 1<<40), new(*tpox.NotFound), "it writes nothing")
	requireUnready(t, s, "(13)")
	require.NoError(t, os.Remove(ballast))
	requireReady(t, s)
}

// requireUnready waits until a store is not ready because nothing could be written.
func requireUnready(t *testing.T, s *Store, reason string, why ...any) {
	t.Helper()
	began := time.Now()
	var unavailable *tpox.Unavailable
	require.Eventually(t, func() bool { return errors.As(s.Ready(t.Context()), &unavailable) }, 20*time.Second,
		10*time.Millisecond)
	require.Less(t, time.Since(began), 2*maxUnwritten)
	require.Equal(t, "nothing could be written for some seconds", unavailable.Detail)
	require.ErrorContains(t, unavailable, reason, why...)
}

// requireReady waits until a store is ready again.
func requireReady(t *testing.T, s *Store) {
	t.Helper()
	require.Eventually(t, func() bool { return s.Ready(t.Context()) == nil }, 5*time.Second, 10*time.Millisecond)
}

func TestStore_LinearCost(t *testing.T) {
	testenv.Long(t)
	s := opened(t, tinyDatabase(t), store.Options{Rules: tpox.Rules{MaxCustomer: 1 << 20}})
	storetest.LinearCost(t, s, tiny, func() []int { return nil })
}
