package httpapi

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/httpapi/pages"
)

// watched is a stream that is being read.
type watched struct {
	*http.Response

	lines *bufio.Scanner
}

func watch(t testing.TB, server *httptest.Server, headers ...string) *watched {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/v1/live", http.NoBody)
	require.NoError(t, err)
	addHeaders(r, headers)
	response, err := server.Client().Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return &watched{response, bufio.NewScanner(response.Body)}
}

// next returns the data of the next event, or "" once the stream has ended.
func (w *watched) next() string {
	for w.lines.Scan() {
		if data, ok := strings.CutPrefix(w.lines.Text(), "data: "); ok {
			return data
		}
	}
	return ""
}

// watchedServer returns a service whose connections would time out before the second event.
func watchedServer(t testing.TB, o Options) (*Server, *httptest.Server) {
	t.Helper()
	s := fresh(t, o)
	server := httptest.NewUnstartedServer(s)
	server.Config.ReadTimeout, server.Config.WriteTimeout = pages.Every, pages.Every
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(s.Drain)
	return s, server
}

// Events follow the contract, and continue beyond the time limits of a request.
func TestWatch_Figures(t *testing.T) {
	_, server := watchedServer(t, Options{
		Timeout: pages.Every / 2, InFlight: 1,
		StoreState: func() *pages.StoreState { return &pages.StoreState{Connections: 4, Commits: 17} },
	})
	w := watch(t, server, "Accept-Encoding: gzip")
	require.Equal(t, http.StatusOK, w.StatusCode)
	require.Equal(t, "text/event-stream", w.Header.Get("Content-Type"))
	require.Equal(t, "no-store", w.Header.Get("Cache-Control"))
	require.Empty(t, w.Header.Get("Content-Encoding"), "packing would hold events back")
	require.NotEmpty(t, w.Header.Get("X-Request-Id"))

	// A stream does not occupy the only slot.
	require.Equal(t, 200, over(t, server, "GET", "/v1/orders/103282", nil).StatusCode)
	require.Equal(t, 404, over(t, server, "GET", "/v1/orders/1", nil).StatusCode)
	var orders pages.Ended
	for range 4 {
		data := w.next()
		var f pages.Figures
		require.NoError(t, json.Unmarshal([]byte(data), &f))
		orders.OK += f.Transactions["get_order"].OK
		orders.Refused += f.Transactions["get_order"].Refused
		require.Equal(t, pages.GateState{Limit: 1}, f.Gate)
		require.Equal(t, &pages.StoreState{Connections: 4, Commits: 17}, f.Store)

		var value any
		require.NoError(t, json.Unmarshal([]byte(data), &value))
		require.NoError(t, contract().Components.Schemas["LiveFigures"].Value.VisitJSON(value), data)
	}
	require.Equal(t, pages.Ended{OK: 1, Refused: 1}, orders)
}

func TestWatch_Full(t *testing.T) {
	s, server := watchedServer(t, Options{})
	for range pages.MaxWatchers - 1 {
		w, err := s.live.Join()
		require.NoError(t, err)
		t.Cleanup(w.Leave)
	}
	last := watch(t, server)
	require.Equal(t, 200, last.StatusCode)
	a := over(t, server, "GET", "/v1/live", nil)
	requireProblem(t, a, 503, "overloaded")
	requireConforms(t, "watch_service", a)
	require.Equal(t, "application/problem+xml; charset=utf-8", a.Header.Get("Content-Type"))
	require.Empty(t, a.Header.Get("X-Accel-Buffering"))

	// A watcher that leaves makes room for another.
	require.NoError(t, last.Body.Close())
	require.Eventually(t, func() bool {
		w, err := s.live.Join()
		if err == nil {
			w.Leave()
		}
		return err == nil
	}, time.Minute, time.Millisecond)
}

// stuck is a connection that accepts nothing: a write waits for its deadline.
type stuck struct {
	http.ResponseWriter

	deadline chan struct{} // closed when the deadline has passed
	sooner   chan time.Time
}

var errStuck = errors.New("i/o timeout")

func (c *stuck) Write([]byte) (int, error) {
	<-c.deadline
	return 0, errStuck
}

func (c *stuck) SetWriteDeadline(at time.Time) error {
	c.sooner <- at
	return nil
}

func (c *stuck) SetReadDeadline(time.Time) error { return nil }

// A client that does not read a frame is disconnected soon, and sooner when the service stops.
func TestWatch_Stuck(t *testing.T) {
	s := fresh(t, Options{})
	c := &stuck{ResponseWriter: httptest.NewRecorder(), deadline: make(chan struct{}), sooner: make(chan time.Time, 4)}
	ended := make(chan struct{})
	go func() {
		s.ServeHTTP(c, newRequest("GET", "/v1/live", ""))
		close(ended)
	}()
	first := <-c.sooner
	s.Drain()
	second := <-c.sooner
	require.True(t, second.Before(first), "it has %s less", first.Sub(second))
	close(c.deadline)
	<-ended
}
