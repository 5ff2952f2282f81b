package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/testenv"
)

// Without flags, the command serves a filled database; it stops cleanly, and the next start serves the same database.
func TestServe_FirstStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := serving(t, dir)
	requireOneLine(t, brokerage(t.Context(), "serve", "--listen", "127.0.0.1:0", "--db",
		"sqlite:"+filepath.Join(dir, "brokerage.db")), exitFailed, "is in use by another process")
	require.Equal(t, http.StatusOK, get(t, first.url+"/readyz").status)
	order := get(t, first.url+"/v1/orders/103282")
	require.Equal(t, http.StatusOK, order.status)
	require.Contains(t, order.body, `ID="103282"`)
	require.Equal(t, http.StatusNoContent, send(t, http.MethodDelete, first.url+"/v1/orders/103282", "", "").status)
	first.stop(t)
	require.NotNil(t, first.logs.find(t, "filled"))
	require.NotNil(t, first.logs.find(t, "stopped"))
	require.Empty(t, first.out.String())
	require.Equal(t, order.header.Get("X-Request-Id"), first.logs.find(t, "get_order")["request_id"])

	succeeds(t, "verify", "--db", "sqlite:"+filepath.Join(dir, "brokerage.db"))

	second := serving(t, dir)
	require.Equal(t, http.StatusNotFound, get(t, second.url+"/v1/orders/103282").status)
	second.stop(t)
	require.Nil(t, second.logs.find(t, "filled"))
}

// The requests of the greeting work as printed.
func TestServe_Greeting(t *testing.T) {
	t.Parallel()
	i := launch{dir: tinyDB(t)}.start(t, "--log-format", "human")
	eventually(t, func() bool { return strings.HasSuffix(i.out.String(), "\n\n") }, "a greeting in %q", i.out)
	listening := regexp.MustCompile(`level=INFO msg=listening addr=127.0.0.1:\d+ db=sqlite:brokerage.db`)
	// log and greeting have different pipes
	eventually(t, func() bool { return listening.MatchString(i.logs.String()) }, "what it listens on in %q", i.logs)
	require.Regexp(t,
		`at http://127.0.0.1:\d+; watch and try it in a browser. Documentation: http://127.0.0.1:\d+/docs\.`, i.out)
	example := regexp.MustCompile(`(?m)^  curl (?:-H 'Content-Type: application/xml' -d '(.*)' )?(http://\S+)$`)
	curls := example.FindAllStringSubmatch(i.out.String(), -1)
	require.Len(t, curls, 3)
	for _, curl := range curls {
		method := http.MethodGet
		if curl[1] != "" {
			method = http.MethodPost
		}
		answer := send(t, method, curl[2], "", curl[1])
		require.Equal(t, http.StatusOK, answer.status, "%s: %s", curl[0], answer.body)
	}
	i.stop(t)
}

// A client may do what the scopes of its token allow; changes to the file apply without a restart.
func TestServe_Tokens(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tokens")
	token := func(name, scope string) string {
		r := succeeds(t, "token", "--name", name, "--scope", scope, "--file", file)
		return strings.TrimSpace(r.out)
	}
	reader := token("reader", "read")
	i := serving(t, tinyDB(t), "--tokens", file)
	order := i.url + "/v1/orders/103282"
	status := func(method, token string) int { return send(t, method, order, token, "").status }

	require.Equal(t, http.StatusUnauthorized, status(http.MethodGet, ""))
	require.Equal(t, http.StatusUnauthorized, status(http.MethodGet, reader[1:]))
	require.Equal(t, http.StatusOK, status(http.MethodGet, reader))
	require.Equal(t, http.StatusForbidden, status(http.MethodDelete, reader))
	require.Equal(t, http.StatusOK, get(t, i.url+"/readyz").status)
	require.Equal(t, "reader", i.logs.wait(t, "delete_order")["client"])

	trader := token("trader", "trade")
	i.logs.wait(t, "tokens reloaded")
	require.Equal(t, http.StatusForbidden, status(http.MethodGet, trader))
	require.Equal(t, http.StatusNoContent, status(http.MethodDelete, trader))

	// A mistake in the file changes nothing, and is logged.
	text := []byte(testenv.Text(t, file))
	require.NoError(t, os.WriteFile(file, append(text, "nonsense\n"...), 0o600))
	require.Contains(t, i.logs.wait(t, "tokens not reloaded, the old ones stay valid")["error"], "line 3")
	require.Contains(t, get(t, i.url+"/metrics").body, `brokerage_reload_failed{what="tokens"} 1`)
	require.Equal(t, http.StatusNotFound, status(http.MethodGet, reader))

	// A removed token is refused.
	_, others, _ := bytes.Cut(text, []byte("\n"))
	require.NoError(t, os.WriteFile(file, others, 0o600))
	eventually(t, func() bool { return status(http.MethodGet, reader) == http.StatusUnauthorized }, "the token goes")
	require.Equal(t, http.StatusForbidden, status(http.MethodGet, trader))

	i.stop(t)
	require.NotContains(t, i.logs.String(), reader)
	require.NotContains(t, i.logs.String(), trader)
}

// begun returns the folder of a database in which a load of d was interrupted.
func begun(t testing.TB, d *dataset.Dataset) (dir string) {
	t.Helper()
	dir = t.TempDir()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "brokerage.db"), store.Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, s.LoadDataset(ctx, d, func(int, int64) { cancel() }), context.Canceled)
	require.NoError(t, s.Close())
	return dir
}

func TestServe_UnfinishedLoad(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	t.Run("Other", func(t *testing.T) {
		dir := begun(t, dataset.New(dataset.Spec{Seed: 2}))
		r := brokerage(t.Context(), "serve", "--listen", "127.0.0.1:0", "--db", "sqlite:"+filepath.Join(dir, "brokerage.db"))
		requireOneLine(t, r, exitFailed,
			"brokerage.db: the load of tpox-2/tiny/seed-2/v1/500-200-2000 was not finished: ")
	})
	t.Run("OfAFirstStart", func(t *testing.T) {
		i := serving(t, begun(t, dataset.New(dataset.Spec{Seed: 1})))
		require.Equal(t, http.StatusOK, get(t, i.url+"/readyz").status)
		require.Equal(t, http.StatusOK, get(t, i.url+"/v1/orders/105281").status) // the last
		i.stop(t)
	})
}

func TestServe_Metrics(t *testing.T) {
	t.Parallel()
	i := serving(t, tinyDB(t))
	require.Equal(t, http.StatusNotFound, get(t, i.url+"/v1/orders/1").status)
	// Metrics that are not collected at a scrape appear soon after the start.
	metrics := i.counted(t)
	require.Contains(t, metrics, `brokerage_transactions_total{outcome="not_found",transaction="get_order"} 1`)
	for _, line := range []string{
		`brokerage_dataset_info{fingerprint="tpox-2/tiny/seed-1/v1/500-200-2000",profile="tpox-2",scale="tiny",seed="1"} 1`,
		`brokerage_store_documents{kind="order"} 2000`, "brokerage_store_ready 1", "brokerage_requests_in_flight_limit 256",
	} {
		require.Contains(t, metrics, "\n"+line)
	}
	require.Equal(t, http.StatusNoContent, send(t, http.MethodDelete, i.url+"/v1/orders/103282", "", "").status)
	metrics = get(t, i.url+"/metrics").body
	require.Contains(t, metrics, `brokerage_store_documents{kind="order"} 1999`)
	require.Contains(t, metrics, `brokerage_store_commit_writes_bucket{le="1"} 1`)
	i.stop(t)

	i = serving(t, "", "--db", "null:", "--metrics-addr", "127.0.0.1:0")
	addr, _ := i.logs.wait(t, "metrics")["addr"].(string)
	require.Equal(t, http.StatusOK, get(t, "http://"+addr+"/metrics").status)
	require.Equal(t, http.StatusOK, get(t, "http://"+addr+"/readyz").status)
	require.Equal(t, http.StatusNotFound, get(t, "http://"+addr+"/v1/customers/1002/profile").status)
	require.Equal(t, http.StatusNotFound, get(t, i.url+"/metrics").status)
	i.stop(t)
}

// After a signal, /readyz fails while requests are still answered.
func TestServe_Drain(t *testing.T) {
	t.Parallel()
	i := serving(t, "", "--db", "null:", "--drain-delay", "1h")
	conn := dialed(t, i.url)
	require.True(t, staysOpen(t, conn))
	i.signal(t)
	i.logs.wait(t, "stopping")
	require.Equal(t, http.StatusServiceUnavailable, get(t, i.url+"/readyz").status)
	require.Equal(t, http.StatusOK, get(t, i.url+"/v1/customers/1002/profile").status)
	require.False(t, staysOpen(t, conn)) // so that no request is sent on it when the service is gone

	i.signal(t) // ends the delay
	i.ended(t)
	status, ok := i.cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	require.Equal(t, syscall.SIGTERM, status.Signal())
}

// dialed returns a connection on which a test speaks HTTP itself.
func dialed(t testing.TB, url string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return conn
}

// staysOpen sends a request, and reports whether the response allows another one on the connection.
func staysOpen(t testing.TB, conn net.Conn) bool {
	t.Helper()
	_, err := conn.Write([]byte("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodHead})
	require.NoError(t, err)
	_ = response.Body.Close()
	return !response.Close
}

// slow sends a request without its body, and waits until it is running.
func (i *instance) slow(t testing.TB) net.Conn {
	t.Helper()
	conn := dialed(t, i.url)
	_, err := fmt.Fprintf(conn,
		"POST /v1/accounts/104000000/buy HTTP/1.1\r\nHost: localhost\r\n"+
			"Content-Type: application/xml\r\nContent-Length: %d\r\n\r\n",
		len(buy))
	require.NoError(t, err)
	eventually(t, func() bool {
		return strings.Contains(get(t, i.url+"/metrics").body, "brokerage_requests_in_flight 1\n")
	}, "a request under way")
	return conn
}

const buy = `<Trade xmlns="http://tpox-benchmark.com/custacc"><Symbol>A</Symbol><Quantity>1</Quantity></Trade>`

func TestServe_RunningRequestsEnd(t *testing.T) {
	t.Parallel()
	i := serving(t, tinyDB(t), "--shutdown-timeout", "1h")
	conn := i.slow(t)
	i.signal(t)
	i.logs.wait(t, "stopping")
	eventually(t, func() bool { // no new connections
		other, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(i.url, "http://"))
		if err == nil {
			_ = other.Close()
		}
		return errors.Is(err, syscall.ECONNREFUSED)
	}, "nobody listens")
	_, err := conn.Write([]byte(buy))
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	_ = response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, exitOK, i.ended(t), i.logs.String())
}

func TestServe_RunningRequestsAreCutOff(t *testing.T) {
	t.Parallel()
	i := serving(t, "", "--db", "null:", "--shutdown-timeout", "50ms")
	conn := i.slow(t)
	i.signal(t)
	require.Equal(t, exitFailed, i.ended(t))
	require.Contains(t, i.logs.String(), "cut off")
	_, err := new(bytes.Buffer).ReadFrom(conn)
	require.True(t, err == nil || errors.Is(err, syscall.ECONNRESET), "%v", err) // the connection has ended
}

// Profiles are served only if --debug-addr is set, and only there.
func TestServe_Profiles(t *testing.T) {
	t.Parallel()
	i := serving(t, "", "--db", "null:", "--debug-addr", "127.0.0.1:0")
	addr, _ := i.logs.wait(t, "profiles")["addr"].(string)
	require.Equal(t, http.StatusOK, get(t, "http://"+addr+"/debug/pprof/heap").status)
	// The command line may hold a password.
	require.NotContains(t, get(t, "http://"+addr+"/debug/pprof/cmdline").body, "null:")
	require.Equal(t, http.StatusNotFound, get(t, "http://"+addr+"/metrics").status)
	require.Equal(t, http.StatusNotFound, get(t, i.url+"/debug/pprof/").status)
	i.stop(t)

	i = serving(t, "", "--db", "null:", "--listen", "localhost:0")
	require.Nil(t, i.logs.find(t, "profiles"))
	require.Equal(t, http.StatusNotFound, get(t, i.url+"/debug/pprof/").status)
	i.stop(t)
	serving(t, "", "--db", "null:", "--listen", "0.0.0.0:0", "--insecure-no-auth").stop(t)
}

// A stop disconnects watchers, and does not wait as long for them as for running requests.
func TestServe_StopsWhileWatched(t *testing.T) {
	t.Parallel()
	i := serving(t, tinyDB(t), "--shutdown-timeout", "1h", "--drain-delay", "0s")
	require.Contains(t, get(t, i.url+"/").body, "<title>Brokerage: live</title>")
	i.counted(t)
	for range 2 {
		require.Equal(t, http.StatusOK, get(t, i.url+"/v1/orders/103282").status)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, i.url+"/v1/live", http.NoBody)
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	event := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
	require.Regexp(t, `"store":\{"connections":.*"hits":[1-9]\d*,"misses":[1-9]\d*}`, event())
	i.stop(t)
	for event() != "" {
	}
	require.NoError(t, lines.Err())
	require.NotNil(t, i.logs.find(t, "stopped"))
	require.EqualValues(t, http.StatusOK, i.logs.find(t, "watch_service")["status"])
}
