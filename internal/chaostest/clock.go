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

var (
	//go:embed testdata/jump.go
	jumpGo string
	//go:embed testdata/jump.c
	jumpC string
)

// Clock is the wall clock of processes, which a test changes while they run. Their monotonic clock is not changed, as
// when the clock of a machine is set.
type Clock struct {
	dir  string
	jump *os.File // with the seconds, which processes have mapped into memory
}

// NewClock returns a clock that shows the real time.
func NewClock(t testing.TB) *Clock {
	t.Helper()
	// A folder that the user of a database server can read, unlike the test's own.
	dir, err := os.MkdirTemp("", "clock") //nolint:usetesting // as it says
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))                                             //nolint:gosec // for that user
	jump, err := os.OpenFile(filepath.Join(dir, "jump"), os.O_WRONLY|os.O_CREATE, 0o644) //nolint:gosec // for that user
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, errors.Join(jump.Close(), os.RemoveAll(dir))) })
	c := &Clock{dir: dir, jump: jump}
	c.Set(t, 0)
	return c
}

// Set sets how many whole seconds the clock is ahead of the real one, or behind it when negative.
func (c *Clock) Set(t testing.TB, ahead time.Duration) {
	t.Helper()
	word := binary.NativeEndian.AppendUint64(nil, uint64(ahead/time.Second)) //nolint:gosec // two's complement is meant
	_, err := c.jump.WriteAt(word, 0)
	require.NoError(t, err)
}

// Env returns the environment variable by which a process uses the clock, if it was built for that.
func (c *Clock) Env() string { return "BROKERAGE_TEST_CLOCK=" + c.jump.Name() }

// Service builds the command in the working folder with a changed package time, which adds the offset of the clock. A
// process of Go reads the time without a system call, so it cannot be changed from outside.
func (c *Clock) Service(t testing.TB) (binary string) {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), testenv.Command(t, "go"), "env", "GOROOT").Output()
	require.NoError(t, err)
	dir := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	source := testenv.Text(t, filepath.Join(dir, "time.go"))
	const ask, add = "\tsec, nsec, mono := runtimeNow()\n", "\tsec += jumped()\n"
	require.Equal(t, 1, strings.Count(source, ask),
		"time.Now of this Go reads the clock in another way: see where it does, and change this")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(dir, "time.go"): c.write(t, "time.go", strings.Replace(source, ask, ask+add, 1)),
		filepath.Join(dir, "jump.go"): c.write(t, "jump.go", jumpGo),
	}})
	require.NoError(t, err)
	binary = filepath.Join(c.dir, "service")
	// Without paths in it, the result is found in the build cache the next time.
	runs(t, "go", "build", "-trimpath", "-overlay", c.write(t, "overlay.json", string(list)), "-o", binary, ".")
	return binary
}

// Preload returns the environment variables by which a C program uses the clock.
func (c *Clock) Preload(t testing.TB) []string {
	t.Helper()
	library := filepath.Join(c.dir, "jump.so")
	runs(t, "cc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", library, c.write(t, "jump.c", jumpC))
	return []string{"LD_PRELOAD=" + library, c.Env()}
}

// write writes a file into the folder of the clock and returns its path.
func (c *Clock) write(t testing.TB, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(c.dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func runs(t testing.TB, program string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), testenv.Command(t, program), args...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
