package main

import (
	"database/sql"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A signal aborts the start at once, whatever it waits for: a pipe without a writer, a server that never answers, a
// database that another process has locked.
func TestServe_SignalWhileStarting(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has neither the signal nor the pipes")
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, exec.CommandContext(t.Context(), "mkfifo", pipe).Run())
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	came := make(chan net.Conn, 100)
	go func() {
		for {
			c, err := silent.Accept()
			if err != nil {
				return
			}
			came <- c
		}
	}()
	// The pipe is open for reading.
	piped := func() bool {
		f, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			t.Cleanup(func() { _ = f.Close() }) // open, and nothing is written
		}
		return err == nil
	}
	asked := func() bool {
		select {
		case c := <-came:
			t.Cleanup(func() { _ = c.Close() })
			return true
		default:
			return false
		}
	}
	written := func() bool { time.Sleep(time.Second); return true } // that somebody writes cannot be seen without reading
	for name, c := range map[string]struct {
		args []string
		busy func() bool
	}{
		"Config": {[]string{"--config", pipe}, piped},
		"Key":    {[]string{"--db", "null:", "--tls-cert", pipe, "--tls-key", pipe}, piped},
		"Keys": {
			[]string{
				"--db", "null:", "--jwt-issuer", "i", "--jwt-audience", "a", "--jwks-url", "http://" + silent.Addr().String(),
			},
			asked,
		},
		"Audit":    {[]string{"--db", "null:", "--audit-log", pipe}, written},
		"Locked":   {nil, written},
		"Postgres": {[]string{"--db", "postgres://me@" + silent.Addr().String() + "/db?connect_timeout=60"}, asked},
		"Waiting":  {[]string{"--wait", "--db", "postgres://me@" + silent.Addr().String() + "/db?connect_timeout=60"}, asked},
	} {
		t.Run(name, func(t *testing.T) {
			dir := ""
			if name == "Locked" {
				dir = tinyDB(t)
				db, err := sql.Open("sqlite", filepath.Join(dir, "brokerage.db"))
				require.NoError(t, err)
				defer func() { require.NoError(t, db.Close()) }()
				conn, err := db.Conn(t.Context())
				require.NoError(t, err)
				_, err = conn.ExecContext(t.Context(), "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
				require.NoError(t, err)
			}
			i := starting(t, dir, c.args...)
			eventually(t, c.busy, "to be busy: %s", i.logs)
			began := time.Now()
			i.signal(t)
			code := i.ended(t)
			require.Less(t, time.Since(began), patience/6, i.logs.String())
			require.Equal(t, exitInterrupted, code, i.logs.String())
			require.Contains(t, i.logs.String(), "interrupted")
		})
	}
}
