package testenv

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// childVariable makes the program of a test one that starts a server and waits to be killed.
const childVariable = "BROKERAGE_TEST_CHILD"

// RequireGone tests that a test which is killed leaves no server, and no folder of
// its. As long as the server runs, inside is there, in that folder. It is all of
// the test that calls it, which is run once more as a process of its own.
func (s *Servers[S]) RequireGone(t *testing.T, shared, own func(testing.TB) S, folder func(S) string, inside string) {
	t.Helper()
	const says = "server in "
	if os.Getenv(childVariable) != "" {
		_, err := os.Stdout.WriteString("\n" + says + folder(own(t)) + "\n")
		require.NoError(t, err)
		select {}
	}
	shared(t)                                                                            // skips where there can be none
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$") //nolint:gosec // this program
	child.Env = append(os.Environ(), childVariable+"=1")
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	var dir string
	for lines := bufio.NewScanner(out); dir == "" && lines.Scan(); {
		_, dir, _ = strings.Cut(lines.Text(), says)
	}
	require.NotEmpty(t, dir)
	_, err = os.Stat(filepath.Join(dir, inside))
	require.NoError(t, err)
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	require.Eventually(t, func() bool {
		_, err := os.Stat(dir)
		return os.IsNotExist(err)
	}, time.Minute, 20*time.Millisecond)
}
