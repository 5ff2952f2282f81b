package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/null"
)

func TestLimits_Body(t *testing.T) {
	server := httptest.NewServer(fresh(t, Options{}))
	defer server.Close()
	for i, sent := range []func(string) io.Reader{
		func(body string) io.Reader { return strings.NewReader(body) },                      // with Content-Length
		func(body string) io.Reader { return struct{ io.Reader }{strings.NewReader(body)} }, // chunked
	} {
		order := orderWith(int64(777 + i))
		exact := order + strings.Repeat(" ", 128<<10-len(order))
		requireProblem(t, over(t, server, "POST", "/v1/orders", sent(exact+" "), "Content-Type: text/xml"), 413, "too-large")
		require.Equal(t, 201, over(t, server, "POST", "/v1/orders", sent(exact), "Content-Type: text/xml").StatusCode)
	}
}

// dial connects to a server.
func dial(t testing.TB, server *httptest.Server) net.Conn {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	return c
}

func sendText(t testing.TB, c net.Conn, text string) {
	t.Helper()
	_, err := io.WriteString(c, text)
	require.NoError(t, err)
}

// received reads an answer.
func received(t testing.TB, from *bufio.Reader) answer {
	t.Helper()
	response, err := http.ReadResponse(from, nil)
	require.NoError(t, err)
	b, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return answer{response, string(b)}
}

const posted = "POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\n"

// A body that never ends is answered at the deadline, and the connection is closed.
func TestLimits_SlowBody(t *testing.T) {
	server := httptest.NewServer(serverOf(t, null.Open(), Options{Timeout: 50 * time.Millisecond, InFlight: 1}))
	defer server.Close()
	for name, sent := range map[string]string{
		"Length": "Content-Length: 100\r\n\r\n<a>", "Chunked": "Transfer-Encoding: chunked\r\n\r\n3\r\n<a>\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, server)
			sendText(t, c, posted+sent)
			from := bufio.NewReader(c)
			requireProblem(t, received(t, from), 504, "timeout")
			_, err := from.ReadByte()
			require.ErrorIs(t, err, io.EOF)
		})
	}
}

// The deadline of a body is not that of the connection: a slow store afterwards does not look like a disconnected
// client, and the connection works for the next request.
func TestLimits_SlowStore(t *testing.T) {
	const timeout = 500 * time.Millisecond // enough for a store that does not wait, on a busy machine too
	var seen requests
	var connection atomic.Value // the error of the request's context: set if the client is gone
	var wait atomic.Bool
	wait.Store(true)
	s := serverOf(t, &stub{Store: null.Open(), do: func(ctx context.Context) error {
		if wait.Load() {
			<-ctx.Done()
			time.Sleep(5 * time.Millisecond) // time for the connection to fail as well
			return ctx.Err()
		}
		return nil
	}}, Options{Timeout: timeout, LogRequest: func(ctx context.Context, l RequestLog) {
		connection.Store(fmt.Sprint(ctx.Err()))
		seen.log(ctx, l)
	}})
	server := httptest.NewServer(s)
	defer server.Close()
	order := orderWith(777)
	request := posted + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(order), order)
	c := dial(t, server)
	sendText(t, c, request)
	from := bufio.NewReader(c)
	requireProblem(t, received(t, from), 504, "timeout")
	last, _ := seen.last()
	require.ErrorIs(t, last.Err, context.DeadlineExceeded)
	require.Equal(t, "<nil>", connection.Load())

	wait.Store(false)
	sendText(t, c, request)
	require.Equal(t, 201, received(t, from).StatusCode)
}

// A client that closes its connection cancels its request.
func TestLimits_ClientGone(t *testing.T) {
	entered, cancelled := make(chan struct{}), make(chan error, 1)
	var seen requests
	s := serverOf(t, &stub{do: func(ctx context.Context) error {
		close(entered)
		<-ctx.Done()
		cancelled <- ctx.Err()
		return ctx.Err()
	}}, Options{Timeout: time.Minute, LogRequest: seen.log})
	server := httptest.NewServer(s)
	c := dial(t, server)
	sendText(t, c, "GET /v1/orders/103282 HTTP/1.1\r\nHost: x\r\n\r\n")
	<-entered
	require.NoError(t, c.Close())
	require.ErrorIs(t, <-cancelled, context.Canceled)
	server.Close() // waits for the request
	last, _ := seen.last()
	require.Equal(t, statusGone, last.Status)
}
