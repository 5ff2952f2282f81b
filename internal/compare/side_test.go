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

// serviceOf returns a side whose command is a text.
func serviceOf(t testing.TB, command string) *side {
	t.Helper()
	s, err := newSide("exec:" + command)
	require.NoError(t, err)
	return s
}

// An interrupted command ends with all that it has started.
func TestOpen_Interrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	s := serviceOf(t, "sleep 1000 & echo $! >"+file+"; sleep 1000")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for info, err := os.Stat(file); err != nil || info.Size() == 0; info, err = os.Stat(file) {
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}()
	_, err := s.openService(ctx, &Config{})
	require.ErrorIs(t, err, context.Canceled)
	pid, err := strconv.Atoi(strings.TrimSpace(testenv.Text(t, file)))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return syscall.Kill(pid, 0) != nil }, 10*time.Second, 10*time.Millisecond)
}

// The address is found in the log in both of its forms, and in the greeting.
func TestOpen_Address(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"JSON":     {`{"msg":"listening","addr":"127.0.0.1:4711","db":"sqlite:a.db"}`, "http://127.0.0.1:4711"},
		"Text":     {`12:00:00 INF listening addr=127.0.0.1:4711 db=null:`, "http://127.0.0.1:4711"},
		"Greeting": {`  The brokerage is at https://127.0.0.1:4711; watch it.`, "https://127.0.0.1:4711"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serviceOf(t, "echo starting; echo '"+c.line+"'; sleep 1000")
			_, err := s.openService(t.Context(), &Config{})
			require.NoError(t, err)
			require.Equal(t, c.want, s.url)
			require.NoError(t, s.close())
		})
	}
}

// A side that has ended by itself during the comparison is an error.
func TestClose_Ended(t *testing.T) {
	s := serviceOf(t, "echo 'listening addr=127.0.0.1:1'; echo out of memory; sleep 0.2; exit 3")
	_, err := s.openService(t.Context(), &Config{})
	require.NoError(t, err)
	require.Error(t, s.process.Wait(t.Context(), time.Minute))
	require.EqualError(t, s.close(), "exit status 3: out of memory")
}
