// Package db2test starts the stand-in for a Db2 server, bench/db2, for the tests of this module. It is a process of its
// own, which ends with the test however that ends. Nothing that passes on it was thereby run on Db2.
package db2test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"brokerage/internal/testenv"
)

// A Server is a running server.
type Server struct {
	home    string // its folder, which is removed when it ends
	process *exec.Cmd
	stderr  output

	mu      sync.Mutex // one command at a time
	in      io.WriteCloser
	answers *bufio.Reader
}

var servers = testenv.Servers[*Server]{What: "the bench", Need: "db2bench"}

// Main runs the tests of a package, which may share a server; for TestMain.
func Main(m *testing.M) { servers.Main(m) }

// Shared returns the server that all tests of a package share, whose TestMain is Main.
func Shared(t testing.TB) *Server {
	t.Helper()
	return servers.Shared(t, func() (*Server, error) { return start(t.Context()) })
}

// StartServer starts a server for one test.
func StartServer(t testing.TB) *Server {
	t.Helper()
	return servers.Own(t, func() (*Server, error) { return start(t.Context()) })
}

func start(ctx context.Context) (s *Server, err error) {
	module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "brokerage").Output()
	if err != nil {
		return nil, fmt.Errorf("looking for bench/db2: %w", err)
	}
	s = &Server{}
	// It outlives the context that it was started in: the end of its input ends it.
	s.process = exec.CommandContext(context.WithoutCancel(ctx), "go", "run", ".")
	s.process.Dir = filepath.Join(strings.TrimSpace(string(module)), "bench", "db2")
	s.process.Env = append(os.Environ(), "CGO_ENABLED=0")      // only the test needs IBM's driver
	s.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // an interrupt of the test is not for the server
	s.process.Stderr = &s.stderr
	if s.in, err = s.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	s.answers = bufio.NewReader(out)
	if s.home, err = s.answer(); err != nil {
		_ = s.Stop() // it did not start
		if reason, missing := strings.CutPrefix(err.Error(), "missing "); missing {
			return nil, &testenv.NotHereError{Reason: reason}
		}
		return nil, fmt.Errorf("the bench does not start: %w: %s", err, s.stderr.after(0))
	}
	return s, nil
}

// Stop stops the server and removes its folder.
func (s *Server) Stop() error {
	err := s.in.Close()
	if ended := s.process.Wait(); err == nil {
		err = ended
	}
	return err
}

// answer reads an answer and returns what follows "ok" in it.
func (s *Server) answer() (result string, err error) {
	line, err := s.answers.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimSpace(line)
	if line != "ok" && !strings.HasPrefix(line, "ok ") {
		return "", fmt.Errorf("%s", line)
	}
	return strings.TrimPrefix(strings.TrimPrefix(line, "ok"), " "), nil
}

// run runs a command of bench/db2.
func (s *Server) run(t testing.TB, words ...string) (result string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.in, strings.Join(words, " ")+"\n")
	if err == nil {
		result, err = s.answer()
	}
	if err != nil {
		t.Errorf("the bench: %s: %v", strings.Join(words, " "), err)
	}
	return result
}

// A Bench is a database for one test.
type Bench struct {
	t             testing.TB
	server        *Server
	name, address string
}

var databases atomic.Int64

// Start returns an empty database of the server that the package shares.
func Start(t testing.TB) *Bench {
	t.Helper()
	return Shared(t).Database(t)
}

// Database returns an empty database.
func (s *Server) Database(t testing.TB) *Bench {
	t.Helper()
	b := s.unnamed(t)
	b.Create(t)
	return b
}

func (s *Server) unnamed(t testing.TB) *Bench {
	t.Helper()
	return s.Absent(t, fmt.Sprintf("T%d", databases.Add(1)), "127.0.0.1:0")
}

// Absent listens at an address of this machine for clients of a database that does not exist yet.
func (s *Server) Absent(t testing.TB, name, address string) *Bench {
	t.Helper()
	before := s.stderr.len()
	b := &Bench{t, s, name, s.run(t, "listen", name, address)}
	t.Cleanup(func() {
		s.run(t, "close", name)
		if t.Failed() {
			t.Logf("the bench wrote:\n%s", s.stderr.after(before))
		}
	})
	return b
}

// Create creates the database of Absent, empty.
func (b *Bench) Create(t testing.TB) {
	t.Helper()
	b.server.run(t, "create", b.name)
}

// Clone returns another database with what this one holds. The test that this one was made for may have ended.
func (b *Bench) Clone(t testing.TB) *Bench {
	t.Helper()
	clone := b.server.unnamed(t)
	b.server.run(t, "clone", clone.name, b.name)
	return clone
}

// Address returns where the database listens: host and port.
func (b *Bench) Address() string { return b.address }

// URL returns the database's URL, for the service.
func (b *Bench) URL() string { return b.URLAt(b.address) }

// URLAt returns the database's URL at another address that leads to it.
func (b *Bench) URLAt(address string) string { return "db2://tpox:tpox@" + address + "/" + b.name }

// Cut closes all connections to the database, as a broken network does.
func (b *Bench) Cut() { b.server.run(b.t, "cut", b.name) }

// Connections returns how many connections to the database there are.
func (b *Bench) Connections() int {
	b.t.Helper()
	n, err := strconv.Atoi(b.server.run(b.t, "connections", b.name))
	if err != nil {
		b.t.Error(err)
	}
	return n
}

// output keeps what a process writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) len() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Len()
}

func (o *output) after(at int) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text.Bytes()[at:])
}
