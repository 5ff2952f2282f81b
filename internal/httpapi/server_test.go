package httpapi

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"brokerage/internal/store/null"
	"brokerage/internal/telemetry"
)

// A server without a store is alive and not ready, until it gets one.
func TestServer_Open(t *testing.T) {
	s := serverOf(t, nil, Options{})
	for _, path := range []string{"/readyz", "/v1/orders/103282", "/v1/dataset"} {
		requireProblem(t, ask(s, "GET", path, ""), 503, "unavailable")
	}
	require.Contains(t, ask(s, "GET", "/readyz", "").body, "<detail>the database is not open yet</detail>")
	requireProblem(t, ask(s, "DELETE", "/v1/orders/103282", ""), 503, "unavailable")
	for _, path := range []string{"/healthz", "/version", "/docs"} {
		require.Equal(t, 200, ask(s, "GET", path, "").StatusCode, path)
	}
	s.Open(null.Open())
	for _, path := range []string{"/readyz", "/v1/orders/103282", "/v1/dataset"} {
		require.Equal(t, 200, ask(s, "GET", path, "").StatusCode, path)
	}
}

// symbols is a store that records the requested symbol.
type symbols struct {
	*null.Store

	asked string
}

func (s *symbols) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	s.asked = symbol
	return s.Store.SecurityPrice(ctx, symbol)
}

func TestServer_Symbols(t *testing.T) {
	store := &symbols{Store: null.Open()}
	s := serverOf(t, store, Options{})
	for path, symbol := range map[string]string{
		"%53DP": "SDP", "A%2FB": "A/B", "A+%2B": "A++", "%C3%89t%C3%A9": "Été", "..": "..", "%252F": "%2F", "a%3Fb": "a?b",
		":symbol": ":symbol", "a;b": "a;b",
	} {
		store.asked = ""
		a := ask(s, "GET", "/v1/securities/"+path+"/price", "")
		require.Equal(t, 200, a.StatusCode, path)
		require.Equal(t, symbol, store.asked, path)
	}
	for _, path := range []string{"", "%20", "a/b", "%2F%2F%2F%2F%2F%2F%2F%2F", "%C3", "%00"} {
		requireProblem(t, ask(s, "GET", "/v1/securities/"+path+"/price", ""), 404, "not-found")
	}
}

type contextKey struct{}

// A store gets the request's own context, with the deadline.
func TestServer_Context(t *testing.T) {
	s := serverOf(t, &stub{do: func(ctx context.Context) error {
		deadline, ok := ctx.Deadline()
		require.True(t, ok)
		require.LessOrEqual(t, time.Until(deadline), time.Hour)
		require.Equal(t, "mine", ctx.Value(contextKey{}))
		_, isGin := ctx.(*gin.Context)
		require.False(t, isGin)
		return errors.New("seen")
	}}, Options{Timeout: time.Hour})
	r := newRequest("GET", "/v1/orders/103282", "")
	requireProblem(t, given(s, r.WithContext(context.WithValue(t.Context(), contextKey{}, "mine"))), 503, "unavailable")
}

func TestServer_Told(t *testing.T) {
	var seen requests
	var counted counts
	s := fresh(t, Options{LogRequest: seen.log, Metrics: &counted, Tokens: allTokens})
	a := ask(s, "GET", "/v1/orders/103282?x=secret", "", "Authorization: Bearer reader", "X-Request-Id: r1")
	last, _ := seen.last()
	require.Positive(t, last.Took)
	last.Took = 0
	require.Equal(t, RequestLog{
		Transaction: "get_order", Method: "GET", Path: "/v1/orders/103282", Client: "reader", RequestID: "r1", Status: 200,
		Bytes: len(a.body),
	}, last)
	ask(s, "GET", "/v1/orders/5", "", "Authorization: Bearer reader")
	ask(s, "POST", "/v1/orders", "<a/>", "Authorization: Bearer trader")
	ask(s, "POST", "/v1/orders", orderWith(103282), "Authorization: Bearer trader")
	ask(s, "POST", "/v1/orders", "<a>", "Authorization: Bearer trader")
	ask(s, "GET", "/nothing", "")
	require.Equal(t, map[string]int{
		"get_order ok": 1, "get_order not_found": 1, "insert_order invalid": 1, "insert_order conflict": 1,
		"insert_order refused": 1, "unrouted not_found": 1,
	}, counted.observed)
	require.Zero(t, counted.inFlight)
}

// sink discards a response.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }

// tier returns a function that sends get_order to a server on the null store, so that the cost is that of HTTP alone.
func tier(t testing.TB, o Options) func() {
	t.Helper()
	o.InFlight, o.Queue, o.QueueWait, o.Timeout = 64, 64, time.Second, time.Second
	s := serverOf(t, null.Open(), o)
	r := newRequest("GET", "/v1/orders/103282", "", "Authorization: Bearer reader", "Accept: application/xml")
	w := &sink{header: http.Header{}}
	return func() {
		clear(w.header)
		s.ServeHTTP(w, r)
		if w.status != 200 {
			t.Fatal(w.status)
		}
	}
}

var tiers = map[string]Options{
	"Plain":   {},
	"Metrics": {Metrics: telemetry.New(telemetry.BuildInfo{})},
	"All": {Tokens: allTokens, Metrics: telemetry.New(telemetry.BuildInfo{}),
		LogRequest: func(context.Context, RequestLog) {}},
}

func BenchmarkGetOrder(b *testing.B) {
	for name, o := range tiers {
		b.Run(name, func(b *testing.B) {
			serve := tier(b, o)
			b.ReportAllocs()
			for b.Loop() {
				serve()
			}
		})
	}
}

func TestServer_Allocates(t *testing.T) {
	for name, o := range tiers {
		require.LessOrEqual(t, testing.AllocsPerRun(100, tier(t, o)), 24.0, name)
	}
}
