//go:build unix

package compare

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// requireEnded requires that the process that a command wrote to a file, and left to itself, does not run any more.
func requireEnded(t testing.TB, file string) {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(testenv.Text(t, file)))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return syscall.Kill(pid, 0) != nil }, 10*time.Second, 10*time.Millisecond)
}

// sleeping returns a command that never ends and has a child, whose number it writes to a file.
func sleeping(t testing.TB) (command, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "pid")
	return "echo loading; sleep 1000 & echo $! >" + file + "; sleep 1000", file
}

func TestStart_NeverServes(t *testing.T) {
	text, file := sleeping(t)
	_, err := start(t.Context(), text, time.Second)
	require.EqualError(t, err, "it did not say where it listens within 1s: loading")
	requireEnded(t, file)
}

func TestStart_Interrupted(t *testing.T) {
	text, file := sleeping(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for _, err := os.Stat(file); err != nil; _, err = os.Stat(file) {
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}()
	_, err := start(ctx, text, time.Minute)
	require.ErrorIs(t, err, context.Canceled)
	requireEnded(t, file)
}

func TestStart_Ends(t *testing.T) {
	_, err := start(t.Context(), "echo cannot open the database >&2; exit 4", time.Minute)
	require.EqualError(t, err, "exit status 4: cannot open the database")
	_, err = start(t.Context(), "true", time.Minute)
	require.EqualError(t, err, "it has ended, without a word")
}

// The address is found in the log in both of its forms, and in the greeting.
func TestStart_Address(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"JSON":     {`{"msg":"listening","addr":"127.0.0.1:4711","db":"sqlite:a.db"}`, "http://127.0.0.1:4711"},
		"Text":     {`12:00:00 INF listening addr=127.0.0.1:4711 db=null:`, "http://127.0.0.1:4711"},
		"Greeting": {`  The brokerage is at https://127.0.0.1:4711; watch it.`, "https://127.0.0.1:4711"},
	} {
		t.Run(name, func(t *testing.T) {
			running, err := start(t.Context(), "echo starting; echo '"+c.line+"'; sleep 1000", time.Minute)
			require.NoError(t, err)
			require.Equal(t, c.want, running.URL)
			require.NoError(t, running.Stop(stopWithin))
		})
	}
}

// A side that has ended by itself during the comparison is an error.
func TestStop_Ended(t *testing.T) {
	running, err := start(t.Context(), "echo 'listening addr=127.0.0.1:1'; echo out of memory; exit 3", time.Minute)
	require.NoError(t, err)
	require.Error(t, running.Wait(t.Context(), time.Minute))
	require.EqualError(t, running.Stop(stopWithin), "exit status 3: out of memory")
}

func TestHook(t *testing.T) {
	require.NoError(t, hook(t.Context(), "true", time.Minute))
	require.EqualError(t, hook(t.Context(), "echo no server; false", time.Minute),
		"echo no server; false: exit status 1: no server")
	text, file := sleeping(t)
	require.ErrorContains(t, hook(t.Context(), text, time.Second), "it did not end within 1s: loading")
	requireEnded(t, file)
}

// A command before a slice may print what it likes, as much as it likes.
func TestHook_Prints(t *testing.T) {
	require.NoError(t, hook(t.Context(), "echo listening at http://127.0.0.1:1", 10*time.Second))
	err := hook(t.Context(), "head -c 30000000 /dev/zero | tr '\\0' x; exit 3", 10*time.Second)
	require.ErrorContains(t, err, "exit status 3: xxx")
	require.Less(t, len(err.Error()), 100_000)
}
