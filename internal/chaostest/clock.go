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
// when somebody sets the clock of a machine.
type Clock struct {
	dir  string
	file string // with the seconds
}

// NewClock returns a clock that shows the real time.
func NewClock(t testing.TB) *Clock {
	t.Helper()
	// Not the test's own folder, which the user of a database server cannot read.
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
	// The processes have mapped the page of this file: it is changed by one word, at once.
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
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range map[string][]byte{"time.go": source, "jump.go": jumpGo} {
		replacement := filepath.Join(c.dir, name)
		require.NoError(t, os.WriteFile(replacement, text, 0o600))
		overlay.Replace[filepath.Join(dir, name)] = replacement
	}
	text, err := json.Marshal(overlay)
	require.NoError(t, err)
	list := filepath.Join(c.dir, "overlay.json")
	require.NoError(t, os.WriteFile(list, text, 0o600))
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
	source, library := filepath.Join(c.dir, "jump.c"), filepath.Join(c.dir, "jump.so")
	require.NoError(t, os.WriteFile(source, jumpC, 0o600))
	out, err := exec.CommandContext(t.Context(), cc, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", library,
		source).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.Chmod(library, 0o755)) //nolint:gosec // for the user of a server
	return []string{"LD_PRELOAD=" + library, c.Env()}
}
