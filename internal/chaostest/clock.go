package chaostest

import (
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// clockVariable is the environment variable with the file of a clock.
const clockVariable = "BROKERAGE_TEST_CLOCK"

var (
	//go:embed testdata/jump.go
	jumpGo []byte
	//go:embed testdata/jump.c
	jumpC []byte
)

// Clock is the wall clock of processes, which a test changes while they run. Their monotonic clock is not changed, as
// when the clock of a machine is set.
type Clock struct {
	dir  string
	file string // with the seconds
}

// NewClock returns a clock that shows the real time.
func NewClock(t testing.TB) *Clock {
	t.Helper()
	// A folder that the user of a database server can read, unlike the test's own.
	dir, err := os.MkdirTemp("", "clock") //nolint:usetesting // as it says
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755)) //nolint:gosec // for that user
	c := &Clock{dir: dir, file: filepath.Join(dir, "jump")}
	c.Set(t, 0)
	return c
}

// Set sets how many whole seconds the clock is ahead of the real one, or behind it when negative.
func (c *Clock) Set(t testing.TB, ahead time.Duration) {
	t.Helper()
	// Processes have mapped this file into memory, so one word is changed in place.
	f, err := os.OpenFile(c.file, os.O_WRONLY|os.O_CREATE, 0o644) //nolint:gosec // for that user
	require.NoError(t, err)
	var word [8]byte
	binary.NativeEndian.PutUint64(word[:], uint64(ahead/time.Second)) //nolint:gosec // two's complement is meant
	_, err = f.WriteAt(word[:], 0)
	require.NoError(t, errors.Join(err, f.Close()))
}

// Env returns the environment variable by which a process uses the clock, if it was built for that.
func (c *Clock) Env() string { return clockVariable + "=" + c.file }

// Service builds the command in this folder with one more line: its package time adds the offset of the clock. The
// process reads the time without a system call, so it cannot be changed from outside.
func (c *Clock) Service(t testing.TB) (binary string) {
	t.Helper()
	gotool := testenv.Command(t, "go")
	root, err := exec.CommandContext(t.Context(), gotool, "env", "GOROOT").Output()
	require.NoError(t, err)
	dir := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	source, err := os.ReadFile(filepath.Join(dir, "time.go"))
	require.NoError(t, err)
	const ask, add = "\tsec, nsec, mono := runtimeNow()\n", "\tsec += jumped()\n"
	require.Equal(t, 1, strings.Count(string(source), ask),
		"time.Now of this Go reads the clock in another way: see where it does, and change this")
	source = []byte(strings.Replace(string(source), ask, ask+add, 1))
	replaced := map[string]string{}
	for name, text := range map[string][]byte{"time.go": source, "jump.go": jumpGo} {
		replaced[filepath.Join(dir, name)] = c.write(t, name, text)
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	require.NoError(t, err)
	list := c.write(t, "overlay.json", text)
	binary = filepath.Join(c.dir, "service")
	// Without paths in it, the result is found in the build cache the next time.
	build := exec.CommandContext(t.Context(), gotool, "build", "-trimpath", "-overlay", list, "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// Preload returns the environment variables by which a C program uses the clock.
func (c *Clock) Preload(t testing.TB) []string {
	t.Helper()
	cc := testenv.Command(t, "cc")
	source, library := c.write(t, "jump.c", jumpC), filepath.Join(c.dir, "jump.so")
	build := exec.CommandContext(t.Context(), cc, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", library, source)
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.Chmod(library, 0o755)) //nolint:gosec // for the user of a server
	return []string{"LD_PRELOAD=" + library, c.Env()}
}

// write writes a file into the folder of the clock and returns its path.
func (c *Clock) write(t testing.TB, name string, text []byte) (path string) {
	t.Helper()
	path = filepath.Join(c.dir, name)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}
