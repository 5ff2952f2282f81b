// Package pgtest starts PostgreSQL servers for tests with the programs that are installed. A server listens on a Unix
// socket in a temporary folder, and on a port only if its settings name one. Server and folder are removed after the
// test, even if the test was killed. PostgreSQL refuses to run as root: root's servers run as another user.
package pgtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// User is the superuser of every server.
const User = "brokerage"

// unsafe settings are for tests that are not about durability.
var unsafe = []string{"fsync=off", "synchronous_commit=off", "full_page_writes=off"}

// A Server is a running server.
type Server struct {
	bin, dir   string
	credential *syscall.Credential // nil: the user of the test
	keeper     *exec.Cmd
	lifeline   io.Closer // open as long as the server is wanted
	options    string
	env        []string // of the server, besides what it always has
	from       string   // folder of the files that it begins with; empty: those of initdb

	filling   sync.Mutex
	templates map[string]string // by what they are filled with
	managing  sync.Mutex
}

var servers = testenv.Servers[*Server]{What: "PostgreSQL", Need: "postgres"}

// Main runs the tests of a package, for its TestMain.
func Main(m *testing.M) { servers.Main(m) }

// Shared returns a server for all tests of a package, whose TestMain calls Main. Each test has a database of its own in
// it, and does not change its settings.
func Shared(t testing.TB) *Server {
	t.Helper()
	return servers.Shared(t, func() (*Server, error) {
		settings := append([]string{"max_connections=300", "shared_buffers=256MB", "max_wal_size=2GB"}, unsafe...)
		return startFrom("", rootFor(t, settings), settings)
	})
}

// Start starts a server for one test, with settings such as "work_mem=8MB".
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	return StartIn(t, "", nil, settings...)
}

// StartOutOfTheBox starts a server for one test with PostgreSQL's defaults, durability included.
func StartOutOfTheBox(t testing.TB) *Server {
	t.Helper()
	return own(t, socketRoot(), nil, nil)
}

// StartIn is like Start, with additional variables in the server's environment, and with the server's folder below
// root, for example on a separate disk, unless root is empty. The path of root must be short, because the folder holds
// a Unix socket.
func StartIn(t testing.TB, root string, env []string, settings ...string) *Server {
	t.Helper()
	settings = slices.Concat(unsafe, settings)
	if root == "" {
		root = rootFor(t, settings)
	}
	return own(t, root, env, settings)
}

func own(t testing.TB, root string, env, settings []string) *Server {
	t.Helper()
	return servers.Own(t, func() (*Server, error) {
		files, err := initialized()
		if err != nil {
			return nil, err
		}
		s, err := prepare("", root)
		if err == nil {
			s.env, s.from = env, files.data()
			err = s.run(settings)
		}
		return s, err
	})
}

// initialized returns the files of a new server, which the servers of single tests copy: initdb would take five times
// as long for each. They last as long as this process. The copies have the same system identifier.
var initialized = sync.OnceValues(func() (*Server, error) {
	s, err := prepare("", rootFor(nil, unsafe))
	if err == nil {
		err = s.keep()
	}
	return s, err
})

// URL returns the URL of a database for the superuser.
func (s *Server) URL(database string) string { return s.URLOf(User, database) }

// URLOf is URL for another role.
func (s *Server) URLOf(role, database string) string {
	query := url.Values{"host": {s.dir}}
	return (&url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database, RawQuery: query.Encode()}).String()
}

// Socket returns the path of the server's socket, for a proxy.
func (s *Server) Socket() string { return filepath.Join(s.dir, ".s.PGSQL.5432") }

// URLAt returns the URL of a database through the proxy at an address.
func (s *Server) URLAt(addr, database string) string {
	return "postgres://" + User + "@" + addr + "/" + database + "?sslmode=disable"
}

// keep is the script of a process that runs beside the test, as the server's user. It starts the server, unless the
// options $4 are empty, and when its input ends, stops the server and removes its folder. Its input ends with the
// test, even if that is killed.
const keep = `
cd / && {
  [ -d "$2/data" ] || { [ -n "$5" ] && cp -R -p "$5" "$2/data"; } ||
  "$1/initdb" -D "$2/data" -U "$3" -A trust -E UTF8 --locale=C --data-checksums --no-sync >"$2/log" 2>&1
} && {
  [ -z "$4" ] || "$1/pg_ctl" -D "$2/data" -l "$2/log" -w -t 60 -o "$4" start >>"$2/log" 2>&1
} && echo started || {
  echo "It does not start:"; cat "$2/log"
}
cat >/dev/null
"$1/pg_ctl" -D "$2/data" -m immediate -t 30 stop >/dev/null 2>&1
rm -rf "$2"`

// startFrom starts a server with the programs in a folder, or with those that are installed.
func startFrom(bin, root string, settings []string) (*Server, error) {
	s, err := prepare(bin, root)
	if err == nil {
		err = s.run(settings)
	}
	return s, err
}

// prepare makes the folder of a server.
func prepare(bin, root string) (s *Server, err error) {
	s = &Server{bin: bin, templates: make(map[string]string)}
	if s.credential, err = otherUser(); err != nil {
		return nil, err
	}
	// A short name, because the path of a socket has at most 107 bytes.
	if s.dir, err = os.MkdirTemp(root, "pg"); err != nil {
		return nil, err
	}
	err = s.give(s.dir)
	if err == nil && bin == "" {
		s.bin, err = binaries()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s, nil
}

// give makes the user of the server the owner of a file.
func (s *Server) give(path string) error {
	if s.credential == nil {
		return nil
	}
	return os.Chown(path, int(s.credential.Uid), int(s.credential.Gid))
}

// run starts the server in its folder, with new files unless the folder has some.
func (s *Server) run(settings []string) error {
	all := append([]string{"listen_addresses=", "unix_socket_directories=" + s.dir}, settings...)
	s.options = "-c " + strings.Join(all, " -c ")
	return s.keep()
}

// keep starts the process that runs beside the test.
func (s *Server) keep() error {
	s.keeper = command("/bin/sh", "-c", keep, "sh", s.bin, s.dir, User, s.options, s.from)
	// A session of its own: a signal that interrupts the test does not reach the server.
	s.keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: s.credential}
	s.keeper.Env = append([]string{"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=" + s.dir}, s.env...)
	in, failed := s.keeper.StdinPipe()
	out, err := s.keeper.StdoutPipe()
	if err := errors.Join(failed, err); err != nil {
		return err
	}
	s.lifeline = in
	if err := s.keeper.Start(); err != nil {
		return err
	}
	said := bufio.NewReader(out)
	if line, _ := said.ReadString('\n'); line != "started\n" {
		_ = in.Close() // ends the keeper
		rest, err := io.ReadAll(said)
		return errors.Join(fmt.Errorf("PostgreSQL in %s does not start:\n%s%s", s.bin, line, rest), err, s.keeper.Wait())
	}
	return nil
}

// rootFor returns where the folder of a server is made: in memory if the server flushes nothing and is not measured,
// memory has room, and TMPDIR names no other place. A new database is hundreds of files: a disk takes several times as
// long for them.
func rootFor(t testing.TB, settings []string) string {
	const (
		memory = "/dev/shm"
		room   = 3 << 30 // bytes
	)
	var found syscall.Statfs_t
	_, measured := t.(*testing.B)
	if measured || os.Getenv("TMPDIR") != "" || slices.Contains(settings, "fsync=on") ||
		syscall.Statfs(memory, &found) != nil || found.Bavail < room/uint64(found.Bsize) { //nolint:gosec // it is positive
		return socketRoot()
	}
	return memory
}

// socketRoot returns the folder for temporary folders, or /tmp if its path is too long for a socket.
func socketRoot() string {
	if dir := os.TempDir(); len(dir) < 60 {
		return dir
	}
	return "/tmp"
}

// Stop stops the server and removes its folder.
func (s *Server) Stop() error {
	return errors.Join(s.lifeline.Close(), s.keeper.Wait())
}

// Restart stops the server, in a mode of pg_ctl ("fast", or "immediate", which is like a crash), and starts it again.
func (s *Server) Restart(t testing.TB, mode string) {
	t.Helper()
	s.control(t, "-l", s.log(), "-m", mode, "restart")
}

// Halt stops the server in good order and keeps its folder, for Again.
func (s *Server) Halt(t testing.TB) {
	t.Helper()
	s.control(t, "-m", "fast", "stop")
}

func (s *Server) control(t testing.TB, args ...string) {
	t.Helper()
	require.NoError(t, s.tool(t, "pg_ctl", append([]string{"-w", "-D", s.data()}, args...)...))
}

// tool runs one of the programs that come with the server, as its user.
func (s *Server) tool(t testing.TB, name string, args ...string) error {
	t.Helper()
	if _, err := os.Stat(s.Program(name)); err != nil {
		testenv.Missing(t, "pg_basebackup", name+" is not among PostgreSQL's programs here")
	}
	cmd := command(s.Program(name), args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: s.credential}
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}

// data returns the folder of the server's files.
func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) log() string { return filepath.Join(s.dir, "log") }

// Include sets lines of the server's configuration for the next start, in place of those of an earlier call.
func (s *Server) Include(t testing.TB, conf string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("\ninclude 'included.conf'\n")
	require.NoError(t, errors.Join(err, f.Close()))
	require.NoError(t, os.WriteFile(filepath.Join(s.data(), "included.conf"), []byte(conf), 0o644))
}

// UseTLS restarts the server with a certificate and its key (PEM).
func (s *Server) UseTLS(t testing.TB, cert, key []byte) {
	t.Helper()
	for name, text := range map[string][]byte{"server.crt": cert, "server.key": key} {
		path := filepath.Join(s.data(), name)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		require.NoError(t, s.give(path))
	}
	s.Include(t, "ssl = on\n")
	s.Restart(t, "fast")
}

// DisableChecksums turns off the page checksums of a halted server. They are off by default before PostgreSQL 18.
func (s *Server) DisableChecksums(t testing.TB) {
	t.Helper()
	require.NoError(t, s.tool(t, "pg_checksums", "--disable", "--no-sync", "-D", s.data()))
}

// FlipBit changes a bit of a file of a halted server.
func (s *Server) FlipBit(t testing.TB, file string, bit int64) {
	t.Helper()
	path := filepath.Join(s.data(), file)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	content[bit/8] ^= 1 << (bit % 8)
	require.NoError(t, os.WriteFile(path, content, 0o600)) // it keeps its owner
}

// Program returns the path of a program that may come with the server.
func (s *Server) Program(name string) string { return filepath.Join(s.bin, name) }

// PID returns the id of the server's first process.
func (s *Server) PID(t testing.TB) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	require.NoError(t, err)
	return pid
}

// Running reports whether the server's first process exists.
func (s *Server) Running(t testing.TB) bool {
	t.Helper()
	if _, err := os.Stat(filepath.Join(s.data(), "postmaster.pid")); os.IsNotExist(err) {
		return false
	}
	return syscall.Kill(s.PID(t), 0) == nil
}

// Kill kills the server, as the system does when memory runs out.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	require.NoError(t, syscall.Kill(s.PID(t), syscall.SIGKILL))
}

// Again starts a server that was killed or halted.
func (s *Server) Again(t testing.TB) {
	t.Helper()
	// The new server does not start while a process of the killed one is still running.
	for try := 0; ; try++ {
		err := s.tool(t, "pg_ctl", "-D", s.data(), "-l", s.log(), "-w", "-t", "60", "-o", s.options, "start")
		if err == nil {
			return
		}
		if try == 100 {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Major returns the major version of the server's program.
func (s *Server) Major(t testing.TB) (major int) {
	t.Helper()
	out, err := command(s.Program("postgres"), "--version").Output()
	if err == nil {
		_, err = fmt.Sscanf(string(out), "postgres (PostgreSQL) %d", &major) // postgres (PostgreSQL) 15.18 …
	}
	require.NoError(t, err)
	return major
}

// otherUser returns the user for a server whose test runs as root, and nil for other tests.
func otherUser() (*syscall.Credential, error) {
	if runtime.GOOS == "windows" || os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		gid, failed := strconv.ParseUint(u.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err, failed)
	}
	return nil, &testenv.NotHereError{Reason: "PostgreSQL does not run as root, and there is no other user for it"}
}
