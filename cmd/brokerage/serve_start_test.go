package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

// A flag overrides a variable, a variable the file, the file the default. The values are not databases, and the error
// quotes the one that was used.
func TestServe_Precedence(t *testing.T) {
	file := testenv.File(t, "brokerage.yaml", "db: file\n")
	says := func(from string, args ...string) {
		t.Helper()
		r := brokerage(t.Context(), append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
		requireOneLine(t, r, exitUsage, fmt.Sprintf("%q is not the URL of a database", from))
	}
	says("file", "--config", file)
	says("flag", "--config", file, "--db", "flag")
	t.Setenv("BROKERAGE_DB", "variable")
	says("variable")
	says("variable", "--config", file)
	says("flag", "--config", file, "--db", "flag")
	says("flag", "--db", "flag")
	t.Setenv("BROKERAGE_CONFIG", file)
	says("variable")
	require.NoError(t, os.Unsetenv("BROKERAGE_DB"))
	says("file")

	t.Setenv("BROKERAGE_IN_FLIGHT", "99999999")
	requireOneLine(t, brokerage(t.Context(), "serve"), exitUsage, "--in-flight: 99999999 is outside of the range")
	// Settings of the service do not apply to other commands.
	t.Setenv("BROKERAGE_CONFIG", "none")
	t.Setenv("BROKERAGE_TIMEOUT", "nonsense")
	succeeds(t, "version")
	require.NoError(t, os.Unsetenv("BROKERAGE_CONFIG"))
	requireOneLine(t, brokerage(t.Context(), "serve"), exitUsage, "BROKERAGE_TIMEOUT")
}

// The settings file can hold every kind of value.
func TestServe_Config(t *testing.T) {
	t.Parallel()
	i := serving(t, "", "--config", testenv.File(t, "brokerage.yaml", `# all for a test
db: "null:"
pool: 4
uncompressed: true
covered: no
max-body: 2KiB
queue: 0
timeout: 3s
log-level: debug
log-format: json
`))
	require.Equal(t, 413, send(t, "POST", i.url+"/v1/orders", "", strings.Repeat(" ", 2049)).status)
	require.Equal(t, 200, get(t, i.url+"/healthz").status)
	i.logs.wait(t, "get_health") // at level debug
	i.stop(t)
}

// A file that would take gigabytes to read is refused, in little memory and with one line.
func TestServe_ConfigBombs(t *testing.T) {
	nine := func(s string) string { return "[" + strings.TrimSuffix(strings.Repeat(s+",", 9), ",") + "]" }
	bomb := "a: &a " + nine("xxxx") + "\n"
	for c := 'a'; c < 'i'; c++ {
		bomb += fmt.Sprintf("%c: &%[1]c %s\n", c+1, nine("*"+string(c)))
	}
	indented := ""
	for depth := range 300 {
		indented += strings.Repeat(" ", depth) + "a:\n"
	}
	for name, c := range map[string]struct{ text, says string }{
		"Aliases":  {bomb, "line 1: each setting must be one line"},
		"Merge":    {"<<: {db: 'null:'}\n", "line 1: each setting must be one line"},
		"Brackets": {"db: " + strings.Repeat("[", 60_000), "line 1: each setting must be one line"},
		"Indented": {indented, "brokerage.yaml: "},
		"Large":    {strings.Repeat("#\n", 64<<10), "brokerage.yaml is larger than 65.5 kB"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			file := testenv.File(t, "brokerage.yaml", c.text)
			requireOneLine(t, brokerage(t.Context(), "serve", "--config", file), exitUsage, c.says)
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100<<20))
		})
	}
}

// After the volume is lost, the service is not ready and makes no database, its backups stay, and a restore brings
// the acknowledged write back while the service waits.
func TestServe_LostVolume(t *testing.T) {
	t.Parallel()
	dir, backups := tinyDB(t), t.TempDir()
	db := "sqlite:" + filepath.Join(dir, "brokerage.db")
	const path = "/v1/orders/103282/status"
	i := serving(t, "", "--db", db)
	written := send(t, http.MethodPut, i.url+path, "", orderStatus)
	require.Less(t, written.status, 300, written.body)
	identity := regexp.MustCompile(`database="[0-9a-f]{32}"`).FindString(get(t, i.url+"/version").body)
	require.NotEmpty(t, identity)
	require.Contains(t, get(t, i.url+"/metrics").body, identity)
	succeeds(t, "backup", "--db", db, "--out", backups, "--keep", "7")
	i.stop(t)

	require.NoError(t, os.Remove(filepath.Join(dir, "brokerage.db")))
	requireOneLine(t, brokerage(t.Context(), "serve", "--db", db, "--listen", "127.0.0.1:0"), exitFailed,
		"the database is empty: restore a backup, or load a dataset")
	i = serving(t, "", "--db", db, "--wait")
	i.logs.wait(t, "waiting for the database")
	var ready answer
	eventually(t, func() bool {
		ready = get(t, i.url+"/readyz")
		return ready.status == http.StatusServiceUnavailable && strings.Contains(ready.body, "the database is empty")
	}, "the reason in %v", &ready)
	require.Empty(t, names(t, dir), "not filled")
	requireOneLine(t, brokerage(t.Context(), "backup", "--db", db, "--out", backups, "--keep", "1"),
		exitFailed, "no such file")
	require.Len(t, names(t, backups), 1)

	succeeds(t, "restore", "--from", backups, "--db", db)
	eventually(t, func() bool { return get(t, i.url+"/readyz").status == http.StatusOK }, "ready in %v", i.logs)
	require.Contains(t, get(t, i.url+"/v1/orders/103282").body, `Stat="4"`)
	require.Contains(t, get(t, i.url+"/version").body, identity)
	i.stop(t)
}

// Without --db, an empty database is filled only if --listen is a loopback address; with --fill it always is.
func TestServe_Fill(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	dir := t.TempDir()
	cmd := process(t, "serve", "--listen", ":0", "--insecure-no-auth")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "the database is empty")
	require.Empty(t, names(t, dir))
	i := serving(t, dir, "--db", "sqlite:x.db", "--fill", "tiny")
	require.Equal(t, http.StatusOK, get(t, i.url+"/readyz").status)
	i.stop(t)
}

// listener returns a listener on this machine, for a server that does not answer, or answers badly.
func listener(t testing.TB) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() }) // the test may have closed it
	return l
}

// freeAddress returns an address of this machine where nothing listens, or where a process is to listen.
func freeAddress(t testing.TB) string {
	t.Helper()
	l := listener(t)
	require.NoError(t, l.Close())
	return l.Addr().String()
}

// A service whose start fails has accepted no client, so none is reset.
func TestServe_StartFails(t *testing.T) {
	t.Parallel()
	server, addr := listener(t), freeAddress(t) // server is a database that does not answer
	i := launch{}.start(t, "--listen", addr, "--db", "postgres://me@"+server.Addr().String()+"/db")
	waiting, err := server.Accept()
	require.NoError(t, err)
	_, err = new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	require.NoError(t, errors.Join(waiting.Close(), server.Close()))
	require.Equal(t, exitFailed, i.ended(t), i.logs)
}

// The database is created, then its schema: the service becomes ready without a restart.
func TestServe_WaitEnds(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	server := pgtest.Start(t)
	server.Exec(t, "postgres", "CREATE ROLE brokerage_service LOGIN")
	i := serving(t, "", "--wait", "--db", server.URLOf("brokerage_service", "later"))
	require.Contains(t, i.logs.wait(t, "waiting for the database")["error"], "does not exist")
	server.Exec(t, "postgres", "CREATE DATABASE later TEMPLATE template0")
	eventually(t, func() bool {
		return strings.Contains(fmt.Sprint(i.logs.find(t, "waiting for the database")["error"]), "as the owner")
	}, "it waits for the schema: %s", i.logs)
	require.Equal(t, http.StatusServiceUnavailable, get(t, i.url+"/readyz").status)

	succeeds(t, "load", "--db", server.URL("later"))
	i.logs.wait(t, "the database is available")
	eventually(t, func() bool { return get(t, i.url+"/readyz").status == http.StatusOK }, "it is ready")
	require.Equal(t, http.StatusOK, get(t, i.url+"/v1/orders/103282").status)
	require.Contains(t, get(t, i.url+"/metrics").body, "brokerage_store_connections_limit ")
	i.stop(t)
}

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
			for late := 0; ; late++ {
				i := launch{}.start(t, strings.Fields(args)...)
				c.busy(t, pipe, silent)
				began := time.Now()
				i.signal(t)
				code := i.ended(t)
				if late < 5 && strings.Contains(i.logs.String(), "cannot refresh the keys") {
					continue // it waits three seconds for keys, and a busy machine may not send the signal in time
				}
				require.Less(t, time.Since(began), patience/6, i.logs.String())
				require.Equal(t, exitInterrupted, code, i.logs.String())
				require.Contains(t, i.logs.String(), "interrupted")
				return
			}
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

// Writes to a database file that was deleted or replaced would be lost: soon the service is not ready and refuses
// writes.
func TestServe_FileGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		harm, mend func(t *testing.T, path string)
	}{
		"Deleted":        {harm: func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) }},
		"JournalDeleted": {harm: func(t *testing.T, path string) { require.NoError(t, os.Remove(path+"-wal")) }},
		"Moved": {
			harm: func(t *testing.T, path string) { require.NoError(t, os.Rename(path, path+".aside")) },
			mend: func(t *testing.T, path string) { require.NoError(t, os.Rename(path+".aside", path)) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits for the watch
			path := filepath.Join(tinyDB(t), "brokerage.db")
			i := serving(t, "", "--db", "sqlite:"+path)
			const trade = "/v1/accounts/104000000/buy"
			write := func() answer { return send(t, http.MethodPost, i.url+trade, "", buy) }
			require.Equal(t, http.StatusOK, write().status)
			c.harm(t, path)
			eventually(t, func() bool { return get(t, i.url+"/readyz").status == http.StatusServiceUnavailable },
				"still ready: %s", i.logs)
			require.Contains(t, get(t, i.url+"/readyz").body, "<detail>a file of the database was deleted or replaced</detail>")
			refused := write()
			require.Equal(t, http.StatusServiceUnavailable, refused.status)
			require.Contains(t, refused.body, "urn:brokerage:problem:unavailable<", "not outcome-unknown: nothing was done")
			require.Equal(t, http.StatusOK, get(t, i.url+"/v1/accounts/104000000").status, "reading goes on")
			require.Contains(t, i.logs.String(), "was deleted or replaced by another file while it was in use")
			if c.mend != nil {
				c.mend(t, path)
				eventually(t, func() bool { return get(t, i.url+"/readyz").status == http.StatusOK }, "not ready again: %s", i.logs)
				require.Equal(t, http.StatusOK, write().status)
			}
			i.stop(t)
		})
	}
}
