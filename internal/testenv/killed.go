package testenv

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// childVariable makes the program of a test start a server and wait to be killed.
const childVariable = "BROKERAGE_TEST_CHILD"

// RequireGone tests that a test that is killed leaves neither a server nor its folder. While the server runs, the file
// inside exists in its folder. The test that calls it does nothing else, and is run again as a separate process.
func (s *Servers[S]) RequireGone(t *testing.T, shared, own func(testing.TB) S, folder func(S) string, inside string) {
	t.Helper()
	const says = "server in "
	if os.Getenv(childVariable) != "" {
		_, err := fmt.Printf("\n%s%s\n", says, folder(own(t)))
		require.NoError(t, err)
		select {}
	}
	shared(t) // skips if no server can be started
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$")
	child.Env = append(os.Environ(), childVariable+"=1")
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	var dir string
	for lines := bufio.NewScanner(out); dir == "" && lines.Scan(); {
		_, dir, _ = strings.Cut(lines.Text(), says)
	}
	require.NotEmpty(t, dir, "the child names no folder")
	_, err = os.Stat(filepath.Join(dir, inside))
	require.NoError(t, err)
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait(), "the child was not killed")
	require.Eventually(t, func() bool {
		_, err := os.Stat(dir)
		return os.IsNotExist(err)
	}, time.Minute, 20*time.Millisecond, "%s is still there", dir)
}
