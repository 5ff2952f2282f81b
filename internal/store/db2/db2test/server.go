package db2test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"brokerage/api"
	"brokerage/internal/testenv"
)

// Need is the name of the bench in BROKERAGE_TEST_REQUIRE.
const Need = "db2bench"

//go:embed java/*.java
var sources embed.FS

// Server is a running Derby.
type Server struct {
	home   string
	keeper *exec.Cmd
	said   said

	mu       sync.Mutex // one command at a time
	commands io.WriteCloser
	answers  *bufio.Reader
	address  string
}

var servers = testenv.Servers[*Server]{What: "the bench", Need: Need}

// Main runs the tests of a package on one server, which they share. TestMain
// calls it.
func Main(m *testing.M) { servers.Main(m) }

// Shared returns a server for all tests of a package, whose TestMain calls Main.
func Shared(t testing.TB) *Server {
	t.Helper()
	return servers.Shared(t, func() (*Server, error) {
		return start(t.Context())
	})
}

// StartServer starts a server for one test.
func StartServer(t testing.TB) *Server {
	t.Helper()
	return servers.Own(t, func() (*Server, error) { return start(t.Context()) })
}

// keep is a script that runs beside the test. The Java process ends when its input is closed, at the latest with the
// process of the test; then the script removes the folder.
const keep = `home=$1; shift; "$@"; rm -rf "$home"`

func start(ctx context.Context) (*Server, error) {
	java, err := exec.LookPath("java")
	if err != nil {
		return nil, &testenv.NotHereError{Reason: "the bench needs Java, and java is not installed"}
	}
	kit, err := Fetch(ctx)
	if err != nil {
		return nil, err
	}
	classes, err := compiled(ctx, kit)
	if err != nil {
		return nil, err
	}
	s := &Server{}
	if s.home, err = os.MkdirTemp("", "db2bench"); err != nil {
		return nil, err
	}
	if err := os.CopyFS(s.home, api.Schemas); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.home))
	}
	args := []string{
		"-c", keep, "sh", s.home, java, "-Xmx768m", "-XX:+UseSerialGC",
		"-Dderby.system.home=" + s.home, "-Dderby.stream.error.file=" + filepath.Join(s.home, "derby.log"),
		"-Dderby.locks.waitTimeout=3", "-Dderby.locks.deadlockTimeout=1", "-Dderby.language.statementCache.size=500",
		"-Dderby.system.durability=test", // a power failure would also end the test
		"-Dbench.schemas=" + filepath.Join(s.home, "schema"),
		"-cp", strings.Join(append([]string{classes}, kit.Jars...), ":"), "Bench",
	}
	// The server outlives the context that it was started in; the end of its input ends it.
	s.keeper = exec.CommandContext(context.WithoutCancel(ctx), "/bin/sh", args...)
	s.keeper.Dir = s.home
	s.keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // an interrupt of the test must not reach the server
	s.keeper.Stderr = &s.said
	if s.commands, err = s.keeper.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.keeper.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.keeper.Start(); err != nil {
		return nil, err
	}
	s.answers = bufio.NewReader(out)
	if err := s.ready(); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// ready waits until the server listens.
func (s *Server) ready() error {
	line, err := s.answers.ReadString('\n')
	var port int
	if _, scanned := fmt.Sscanf(line, "ready %d", &port); scanned != nil {
		return errors.Join(fmt.Errorf("the bench does not start: %s%s", line, s.said.since(0)), err)
	}
	s.address = "127.0.0.1:" + strconv.Itoa(port)
	return nil
}

// Stop stops the server, and removes its folder.
func (s *Server) Stop() error { return errors.Join(s.commands.Close(), s.keeper.Wait()) }

// command runs a command on the server.
func (s *Server) command(words ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := io.WriteString(s.commands, strings.Join(words, " ")+"\n"); err != nil {
		return err
	}
	line, err := s.answers.ReadString('\n')
	if err != nil {
		return err
	}
	if line = strings.TrimSpace(line); line != "ok" {
		return fmt.Errorf("%s: %s", strings.Join(words, " "), line)
	}
	return nil
}

// compiled returns the folder of the compiled sources, which is created once for each version of the sources.
func compiled(ctx context.Context, kit *Kit) (dir string, err error) {
	sum := sha256.New()
	files, err := sources.ReadDir("java")
	if err != nil {
		return "", err
	}
	for _, f := range files {
		text, err := sources.ReadFile("java/" + f.Name())
		if err != nil {
			return "", err
		}
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", f.Name(), len(text), text) // a hash takes everything
	}
	dir = filepath.Join(kit.classes, hex.EncodeToString(sum.Sum(nil))[:16])
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	javac, err := exec.LookPath("javac")
	if err != nil {
		return "", &testenv.NotHereError{
			Reason: "the bench needs a JDK, and javac is not installed (Debian: apt-get install openjdk-17-jdk-headless)",
		}
	}
	return dir, once(dir, func(half string) error {
		if err := os.CopyFS(half, sources); err != nil {
			return err
		}
		args := []string{"-encoding", "UTF-8", "-cp", strings.Join(kit.Jars, ":"), "-d", half}
		for _, f := range files {
			args = append(args, filepath.Join(half, "java", f.Name()))
		}
		if out, err := exec.CommandContext(ctx, javac, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("compiling the bench: %w: %s", err, out)
		}
		return nil
	})
}

// said is the standard error of a server.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *said) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Len()
}

func (s *said) since(at int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text.Bytes()[at:])
}
