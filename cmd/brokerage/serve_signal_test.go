package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A signal aborts the start at once, whatever it waits for: a pipe without a writer, a server that never answers.
func TestServe_SignalWhileStarting(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it has neither the signal nor the pipes")
	}
	for name, c := range map[string]struct {
		args string // PIPE has no writer, SILENT never answers
		busy func(testing.TB, string, net.Listener)
	}{
		"Config":   {"--config PIPE", isReading},
		"Keys":     {"--db null: --jwt-issuer i --jwt-audience a --jwks-url http://SILENT", isAsking},
		"Postgres": {"--db postgres://me@SILENT/db?connect_timeout=60", isAsking},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pipe := filepath.Join(t.TempDir(), "pipe")
			require.NoError(t, exec.CommandContext(t.Context(), "mkfifo", pipe).Run())
			silent := listener(t)
			args := strings.NewReplacer("PIPE", pipe, "SILENT", silent.Addr().String()).Replace(c.args)
			i := launch{}.start(t, strings.Fields(args)...)
			c.busy(t, pipe, silent)
			began := time.Now()
			i.signal(t)
			code := i.ended(t)
			require.Less(t, time.Since(began), patience/6, i.logs.String())
			require.Equal(t, exitInterrupted, code, i.logs.String())
			require.Contains(t, i.logs.String(), "interrupted")
		})
	}
}

// isReading waits until a pipe is open for reading. It opens the pipe too, and writes nothing.
func isReading(t testing.TB, pipe string, _ net.Listener) {
	t.Helper()
	eventually(t, func() bool {
		f, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			t.Cleanup(func() { _ = f.Close() })
		}
		return err == nil
	}, "nobody reads")
}

// isAsking waits for a connection, which it keeps open.
func isAsking(t testing.TB, _ string, silent net.Listener) {
	t.Helper()
	require.NoError(t, silent.(*net.TCPListener).SetDeadline(time.Now().Add(patience)))
	conn, err := silent.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
}
