package httpapi

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/access"
)

// overHTTP1 are the protocols that a client offers over TLS; none is plain HTTP.
var overHTTP1 = map[string][]string{"Plain": nil, "TLS": {"http/1.1"}}

// served serves as the program does, with or without TLS, on the network's own connections or those of a wrapper.
func served(t testing.TB, s http.Handler, secured bool, wrap ...func(net.Listener) net.Listener) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(s)
	for _, network := range wrap {
		server.Listener = network(server.Listener)
	}
	server.Listener = JoinWrites(server.Listener)
	server.Config.ConnContext, server.Config.ConnState = ConnContext, ConnState
	server.EnableHTTP2 = true
	if secured {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server
}

// line is a client's connection, with the ways to end it.
type line struct {
	net.Conn

	tcp *net.TCPConn
}

// dial connects, over TLS if protocols are named.
func dial(t testing.TB, server *httptest.Server, protocols ...string) line {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	l := line{c, c.(*net.TCPConn)}
	if len(protocols) > 0 {
		secured := tls.Client(c, &tls.Config{
			NextProtos: protocols, InsecureSkipVerify: true, //nolint:gosec // of this test
			DynamicRecordSizingDisabled: true, // so that the server reads pipelined requests at once, and then the end
		})
		require.NoError(t, secured.HandshakeContext(t.Context()))
		l.Conn = secured
	}
	return l
}

func (l line) send(t testing.TB, text string) {
	t.Helper()
	_, err := io.WriteString(l, text)
	require.NoError(t, err)
}

// received reads an answer, by default to a GET.
func received(t testing.TB, from *bufio.Reader, method ...string) answer {
	t.Helper()
	response, err := http.ReadResponse(from, &http.Request{Method: strings.Join(method, "")})
	require.NoError(t, err)
	b, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return answer{response, string(b)}
}

// The ends of a client's input.
var (
	finish = func(l line) error { return l.tcp.CloseWrite() }
	notify = func(l line) error { return l.Conn.(*tls.Conn).CloseWrite() }
	reset  = func(l line) error {
		if err := l.tcp.SetLinger(0); err != nil {
			return err
		}
		return l.tcp.Close()
	}
	both = func(first, second func(line) error) func(line) error {
		return func(l line) error {
			if err := first(l); err != nil {
				return err
			}
			time.Sleep(20 * time.Millisecond) // they come one after the other
			return second(l)
		}
	}
)

// slow is a store that answers when the test lets it, unless the request is cancelled.
type slow struct {
	entered, proceed chan struct{}
	cancelled        chan error
}

func newSlow() *slow {
	return &slow{make(chan struct{}, 10), make(chan struct{}), make(chan error, 10)}
}

func (s *slow) store(t testing.TB) *stub {
	t.Helper()
	return &stub{Inner: costless(t), Do: func(ctx context.Context) error {
		s.entered <- struct{}{}
		select {
		case <-s.proceed:
			return nil
		case <-ctx.Done():
			s.cancelled <- ctx.Err()
			return ctx.Err()
		}
	}}
}

// within waits for something that happens soon, if at all.
func within[V any](t testing.TB, from <-chan V) V {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(10 * time.Second):
		require.Fail(t, "it does not happen")
		panic("unreachable")
	}
}

// let lets one request end.
func (s *slow) let() {
	select {
	case s.proceed <- struct{}{}:
	case <-time.After(10 * time.Second): // none is running any more
	}
}

const got = "GET /v1/orders/103282 HTTP/1.1\r\nHost: x\r\n\r\n"

func postedOrder() string {
	return posted + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(orderWith(777)), orderWith(777))
}

func chunkedOrder() string {
	order := orderWith(777)
	return posted + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(order), order)
}

// A client that has sent all requests and closes its side gets its responses, and then the end of the connection.
func TestHalfClose_Answered(t *testing.T) {
	for name, request := range map[string]struct {
		sent   string
		status []int
	}{
		"Get":       {got, []int{200}},
		"Post":      {postedOrder(), []int{201}},
		"Chunked":   {chunkedOrder(), []int{201}},
		"Pipelined": {got + postedOrder() + got, []int{200, 201, 200}},
	} {
		for by, end := range map[string]func(line) error{
			"Plain/FIN": finish, "TLS/FIN": finish, "TLS/Notify": notify, "TLS/Both": both(notify, finish),
		} {
			t.Run(name+"/"+by, func(t *testing.T) {
				t.Parallel()
				store := newSlow()
				var seen requests
				s := serverOf(t, store.store(t), Options{LogRequest: seen.log, Timeout: time.Minute})
				protocol, _, _ := strings.Cut(by, "/")
				c := dial(t, served(t, s, protocol == "TLS"), overHTTP1[protocol]...)
				c.send(t, request.sent)
				require.NoError(t, end(c))
				from := bufio.NewReader(c)
				for _, status := range request.status {
					within(t, store.entered)
					time.Sleep(30 * time.Millisecond) // the server has seen the end by now
					store.let()
					require.Equal(t, status, received(t, from).StatusCode)
				}
				_, err := from.ReadByte()
				require.ErrorIs(t, err, io.EOF)
				require.Empty(t, store.cancelled)
				_, n := seen.last()
				require.Equal(t, len(request.status), n)
			})
		}
	}
}

// The same with connections that are kept: earlier requests leave nothing behind.
func TestHalfClose_KeptConnection(t *testing.T) {
	for name, protocols := range overHTTP1 {
		t.Run(name, func(t *testing.T) {
			store := newSlow()
			server := served(t, serverOf(t, store.store(t), Options{Timeout: time.Minute}), protocols != nil)
			c := dial(t, server, protocols...)
			from := bufio.NewReader(c)
			for i := range 5 {
				c.send(t, got)
				within(t, store.entered)
				if i == 4 {
					require.NoError(t, finish(c))
					time.Sleep(30 * time.Millisecond)
				}
				store.let()
				require.Equal(t, 200, received(t, from).StatusCode)
			}
			_, err := from.ReadByte()
			require.ErrorIs(t, err, io.EOF)
		})
	}
}

// http2Client returns a client of one connection.
func http2Client(l line) *http.Client {
	return &http.Client{Transport: &http.Transport{
		ForceAttemptHTTP2: true,
		DialTLSContext:    func(context.Context, string, string) (net.Conn, error) { return l.Conn, nil },
	}}
}

// Also by HTTP/2: the streams are finished, and then the connection's input. There is more than one request, to test
// that the connection waits for the last. The client sends nothing more: it has acknowledged the server's settings
// before, and responses without a body need no window update.
func TestHalfClose_HTTP2(t *testing.T) {
	store := newSlow()
	server := served(t, serverOf(t, store.store(t), Options{Timeout: time.Minute}), true)
	c := dial(t, server, "h2")
	client := http2Client(c)
	answers := make(chan string, 3)
	begin := func() {
		go func() {
			r, err := client.Head(server.URL + "/v1/orders/103282") //nolint:noctx // the connection has a deadline
			if err != nil {
				answers <- err.Error()
				return
			}
			answers <- fmt.Sprint(r.Proto, " ", r.StatusCode, " ", r.Body.Close())
		}()
		within(t, store.entered)
	}
	answered := func() {
		store.let()
		require.Equal(t, "HTTP/2.0 200 <nil>", within(t, answers))
	}
	begin()
	answered()
	begin()
	begin()
	require.NoError(t, finish(c))
	for range 2 {
		time.Sleep(30 * time.Millisecond)
		answered()
	}
	require.Empty(t, store.cancelled)
	waitForEnd(t, server)
}

// lagging is a slow network.
type (
	lagging     struct{ net.Listener }
	laggingConn struct {
		*net.TCPConn

		lag time.Duration
	}
)

func (l lagging) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return laggingConn{c.(*net.TCPConn), flushTime / 4}, nil
}

func (c laggingConn) Write(p []byte) (int, error) {
	time.Sleep(c.lag)
	return c.TCPConn.Write(p)
}

// A client that has closed its side gets its last answer, however late it is flushed: HTTP/2 reports the connection as
// idle before the flush.
func TestHalfClose_HTTP2Flush(t *testing.T) {
	for name, finished := range map[string]time.Duration{"Before": -1, "Meanwhile": flushTime / 8} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := newSlow()
			server := served(t, serverOf(t, store.store(t), Options{Timeout: time.Minute}), true,
				func(l net.Listener) net.Listener { return lagging{l} })
			c := dial(t, server, "h2")
			client := http2Client(c)
			for _, last := range []bool{false, true} {
				answer := make(chan error, 1)
				go func() {
					r, err := client.Head(server.URL + "/v1/orders/103282") //nolint:noctx // the connection has a deadline
					if err == nil {
						err = r.Body.Close()
					}
					answer <- err
				}()
				within(t, store.entered)
				if last && finished < 0 {
					require.NoError(t, finish(c))
					time.Sleep(30 * time.Millisecond) // it is noticed
				}
				store.let()
				if last && finished >= 0 {
					time.Sleep(finished)
					require.NoError(t, finish(c))
				}
				require.NoError(t, within(t, answer))
			}
			waitForEnd(t, server)
		})
	}
}

// requireNoMore waits until there are no more goroutines than before.
func requireNoMore(t testing.TB, before int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(deadline), "goroutines are left over")
	}
}

// waitForEnd waits until the server has no connection left.
func waitForEnd(t testing.TB, server *httptest.Server) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		server.Close() // waits for connections that are in use
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("the connection stays")
	}
}

// A reset cancels, at once or after the client's side was closed, and nothing stays behind.
func TestHalfClose_Reset(t *testing.T) {
	for name, test := range map[string]struct {
		protocols []string
		end       func(line) error
	}{
		"Plain":           {nil, reset},
		"AfterFIN":        {nil, both(finish, reset)},
		"TLS":             {[]string{"http/1.1"}, reset},
		"TLS/AfterFIN":    {[]string{"http/1.1"}, both(finish, reset)},
		"TLS/AfterNotify": {[]string{"http/1.1"}, both(notify, reset)},
		"TLS/AfterBoth":   {[]string{"http/1.1"}, both(notify, both(finish, reset))},
		"HTTP2":           {[]string{"h2"}, reset},
		"HTTP2/AfterFIN":  {[]string{"h2"}, both(finish, reset)},
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			store := newSlow()
			var seen requests
			s := serverOf(t, store.store(t), Options{LogRequest: seen.log, InFlight: 1, Timeout: time.Hour})
			server := served(t, s, test.protocols != nil)
			c := dial(t, server, test.protocols...)
			if slices.Contains(test.protocols, "h2") {
				client := http2Client(c)
				go func() {
					r, err := client.Get(server.URL + "/v1/orders/103282") //nolint:noctx // the connection has a deadline
					if err == nil {
						_ = r.Body.Close()
					}
				}()
			} else {
				c.send(t, got)
			}
			within(t, store.entered)
			require.NoError(t, test.end(c))
			require.ErrorIs(t, within(t, store.cancelled), context.Canceled)
			require.Eventually(t, func() bool {
				last, n := seen.last()
				return n == 1 && last.Status == statusGone && last.Transaction == "get_order"
			}, time.Minute, time.Millisecond)
			waitForEnd(t, server)
			require.Empty(t, s.gate.slots)
			requireNoMore(t, before)
		})
	}
}

// The deadline of a request limits the work for a client from which only a FIN was received.
func TestHalfClose_Deadline(t *testing.T) {
	for name, protocols := range overHTTP1 {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			store := newSlow()
			server := served(t, serverOf(t, store.store(t), Options{Timeout: 200 * time.Millisecond}), protocols != nil)
			c := dial(t, server, protocols...)
			c.send(t, got)
			within(t, store.entered)
			require.NoError(t, finish(c))
			requireProblem(t, received(t, bufio.NewReader(c)), 504, "timeout")
			require.ErrorIs(t, within(t, store.cancelled), context.DeadlineExceeded)
			waitForEnd(t, server)
			requireNoMore(t, before)
		})
	}
}

// An incomplete body is refused, and a client that has only closed its side gets the problem. After a reset nobody
// waits, and the log records it.
func TestHalfClose_BodyCut(t *testing.T) {
	for name, protocols := range overHTTP1 {
		t.Run(name, func(t *testing.T) {
			var seen requests
			server := served(t, serverOf(t, failing(nil), Options{LogRequest: seen.log, Timeout: time.Hour}), protocols != nil)
			logged := func(n, status int, cause error) {
				t.Helper()
				require.Eventually(t, func() bool {
					last, all := seen.last()
					return all == n && last.Status == status && errors.Is(last.Err, cause)
				}, time.Minute, time.Millisecond)
			}
			const cut = posted + "Content-Length: 100\r\n\r\n<a/>"
			c := dial(t, server, protocols...)
			c.send(t, cut)
			require.NoError(t, finish(c))
			logged(1, http.StatusBadRequest, errBodyCut)
			a := received(t, bufio.NewReader(c))
			require.Equal(t, http.StatusBadRequest, a.StatusCode)
			require.Contains(t, a.body, "the body is incomplete")

			c = dial(t, server, protocols...)
			c.send(t, cut)
			time.Sleep(50 * time.Millisecond) // by then the server waits for the body, or finds the reset
			require.NoError(t, reset(c))
			logged(2, statusGone, context.Canceled)
		})
	}
}

// Checking a token may take time, because an issuer's keys may have to be fetched. A client that has closed its side by
// then waits for the answer too.
func TestHalfClose_WhileAuthorized(t *testing.T) {
	for name, protocols := range overHTTP1 {
		t.Run(name, func(t *testing.T) {
			keys := slowKeys{make(chan struct{}), make(chan struct{})}
			server := served(t, serverOf(t, failing(nil), Options{Tokens: keys, Timeout: time.Hour}), protocols != nil)
			c := dial(t, server, protocols...)
			c.send(t, "GET /v1/orders/103282 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\n\r\n")
			within(t, keys.asked)
			require.NoError(t, finish(c))
			time.Sleep(50 * time.Millisecond) // a service that notices the FIN does so meanwhile
			close(keys.come)
			require.Equal(t, http.StatusUnauthorized, received(t, bufio.NewReader(c)).StatusCode)
		})
	}
}

// slowKeys knows no client, and answers when its keys have arrived.
type slowKeys struct{ asked, come chan struct{} }

func (k slowKeys) Client(ctx context.Context, _ string) (*access.Client, bool) {
	close(k.asked)
	select {
	case <-k.come:
	case <-ctx.Done():
	}
	return nil, false
}
