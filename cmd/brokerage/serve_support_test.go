package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/sqlite/sqlitetest"
)

// patience is how long tests wait for anything, startPatience how long for a start, which may fill a database first.
const (
	patience      = 30 * time.Second
	startPatience = 2 * time.Minute
)

// instance is a process that serves.
type instance struct {
	cmd  *exec.Cmd
	url  string
	logs *logLines
	out  *logLines
}

// launch is how to start a service: a binary, "" for this one; a folder, "" for a new one; additional variables.
type launch struct {
	binary, dir string
	env         []string
}

// start starts the service as a separate process.
func (l launch) start(t testing.TB, args ...string) *instance {
	t.Helper()
	i := &instance{
		cmd: process(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...), logs: &logLines{},
		out: &logLines{},
	}
	if l.binary != "" {
		i.cmd.Path, i.cmd.Args[0] = l.binary, l.binary
	}
	if l.dir == "" {
		l.dir = t.TempDir()
	}
	i.cmd.Env = append(i.cmd.Env, l.env...)
	i.cmd.Dir, i.cmd.Stderr, i.cmd.Stdout = l.dir, i.logs, i.out
	require.NoError(t, i.cmd.Start())
	t.Cleanup(func() {
		if i.cmd.ProcessState == nil {
			_ = i.cmd.Process.Kill() // only after a failed test
			_ = i.cmd.Wait()
		}
	})
	return i
}

// serving starts a service, in a new folder unless dir is given, and waits until it listens.
func serving(t testing.TB, dir string, args ...string) *instance {
	t.Helper()
	return launch{dir: dir}.start(t, args...).listening(t)
}

// counted waits until an embedded store has counted its documents, and returns the metrics.
func (i *instance) counted(t testing.TB) (metrics string) {
	t.Helper()
	eventually(t, func() bool {
		metrics = get(t, i.url+"/metrics").body
		return strings.Contains(metrics, "brokerage_store_documents{") &&
			strings.Contains(metrics, "brokerage_dataset_info{")
	}, "a census in %s", &metrics)
	return metrics
}

// listening waits until the process listens.
func (i *instance) listening(t testing.TB) *instance {
	t.Helper()
	within(t, startPatience, func() bool { return i.logs.find(t, "listening") != nil }, "listening, in %s", i.logs)
	addr, _ := i.logs.find(t, "listening")["addr"].(string)
	require.NotEmpty(t, addr)
	i.url = "http://" + addr
	return i
}

func (i *instance) signal(t testing.TB) {
	t.Helper()
	require.NoError(t, i.cmd.Process.Signal(syscall.SIGTERM))
}

// killed kills the process and waits for its end.
func (i *instance) killed(t testing.TB) {
	t.Helper()
	require.NoError(t, i.cmd.Process.Kill())
	_ = i.cmd.Wait() // it was killed
}

// ended waits for the end of the process and returns its exit code.
func (i *instance) ended(t testing.TB) int {
	t.Helper()
	timer := time.AfterFunc(patience, func() { _ = i.cmd.Process.Kill() })
	defer timer.Stop()
	_ = i.cmd.Wait() // the exit code is returned
	return i.cmd.ProcessState.ExitCode()
}

// stop ends the process as an operator would.
func (i *instance) stop(t testing.TB) {
	t.Helper()
	i.signal(t)
	require.Equal(t, exitOK, i.ended(t), i.logs.String())
}

// answer is the response to a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// client keeps no connections, so that none is open at a stop, and does not decompress responses.
var client = &http.Client{
	Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}, Timeout: patience,
}

// send sends a request with a token, unless that is empty, and with more headers, names and values in turn.
func send(t testing.TB, method, url, token, body string, headers ...string) answer {
	t.Helper()
	return sendBy(t, client, method, url, token, body, headers...)
}

// sendBy is send for another client.
func sendBy(t testing.TB, by *http.Client, method, url, token, body string, headers ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		request.Header.Set("Content-Type", "application/xml")
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := by.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return answer{response.StatusCode, response.Header, string(text)}
}

func get(t testing.TB, url string) answer {
	t.Helper()
	return send(t, http.MethodGet, url, "", "")
}

// logLines are what a process has written so far.
type logLines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// all returns the lines, each of which must be JSON.
func (l *logLines) all(t testing.TB) (lines []map[string]any) {
	t.Helper()
	text := l.String()
	for line := range strings.Lines(text[:strings.LastIndexByte(text, '\n')+1]) {
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &fields), line)
		lines = append(lines, fields)
	}
	return lines
}

// find returns the last line with a message, nil if there is none.
func (l *logLines) find(t testing.TB, message string) (found map[string]any) {
	t.Helper()
	for _, line := range l.all(t) {
		if line["msg"] == message {
			found = line
		}
	}
	return found
}

func (l *logLines) wait(t testing.TB, message string) (line map[string]any) {
	t.Helper()
	eventually(t, func() bool { line = l.find(t, message); return line != nil }, "%q in %s", message, l)
	return line
}

func eventually(t testing.TB, ok func() bool, format string, args ...any) {
	t.Helper()
	within(t, patience, ok, format, args...)
}

func within(t testing.TB, limit time.Duration, ok func() bool, format string, args ...any) {
	t.Helper()
	for deadline := time.Now().Add(limit); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			require.Failf(t, "timed out", format, args...)
		}
	}
}

// tinyDB returns the folder of a new database, brokerage.db, with the dataset tiny.
func tinyDB(t testing.TB) (dir string) {
	t.Helper()
	return filepath.Dir(sqlitetest.Tiny(t))
}

// tinyPostgres returns a new database with the dataset tiny, and its server, which all tests share.
func tinyPostgres(t testing.TB) (server *pgtest.Server, database string) {
	t.Helper()
	server = pgtest.Shared(t)
	database = server.Clone(t, server.Filled(t, "tiny", func(url string) { succeeds(t, "load", "--db", url) }))
	return server, database
}
