package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector accepts traces, as OpenTelemetry's does.
type collector struct {
	mu    sync.Mutex
	text  strings.Builder
	spans []*tracepb.Span
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	var sent tracepb.TracesData
	if err == nil {
		err = proto.Unmarshal(text, &sent)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, "not traces", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text.Write(text)
	for _, of := range sent.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// trace waits for the given number of spans of a trace, and returns them by name.
func (c *collector) trace(t testing.TB, id string, n int) map[string]*tracepb.Span {
	t.Helper()
	all := map[string]*tracepb.Span{}
	eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, s := range c.spans {
			if hex.EncodeToString(s.TraceId) == id {
				all[s.Name] = s
			}
		}
		return len(all) >= n
	}, "%d spans, not %v", n, &all)
	require.Len(t, all, n)
	return all
}

// attributesOf returns the attributes of a span as texts.
func attributesOf(s *tracepb.Span) map[string]string {
	all := map[string]string{}
	for _, a := range s.Attributes {
		if all[a.Key] = a.Value.GetStringValue(); all[a.Key] == "" {
			all[a.Key] = strconv.FormatInt(a.Value.GetIntValue(), 10)
		}
	}
	return all
}

// Every request is a span of its caller's trace, and every statement one below it; lines of the log name the trace; no
// part of a document is sent.
func TestServe_Traces(t *testing.T) {
	t.Parallel()
	c := &collector{}
	listener := httptest.NewServer(c)
	t.Cleanup(listener.Close)
	variables := []string{"OTEL_BSP_SCHEDULE_DELAY=50", "OTEL_RESOURCE_ATTRIBUTES=k8s.pod.name=brokerage-0"}
	i := launch{dir: tinyDB(t), env: variables}.start(t, "--otlp-endpoint", listener.URL).listening(t)
	const parent = "00000000000000a1"
	traced := func(number, spans int, method, path, body string) (id string, all map[string]*tracepb.Span) {
		id = fmt.Sprintf("%032x", number)
		send(t, method, i.url+path, "", body, "Traceparent", "00-"+id+"-"+parent+"-01", "Tracestate", "vendor=x")
		return id, c.trace(t, id, spans)
	}

	first, spans := traced(1, 2, http.MethodGet, "/v1/orders/103282", "")
	request, statement := spans["GET /v1/orders/:order"], spans["get_order"]
	require.Equal(t, parent, hex.EncodeToString(request.ParentSpanId))
	require.Equal(t, "vendor=x", request.TraceState) // passed on
	require.Equal(t, request.SpanId, statement.ParentSpanId)
	require.Equal(t, tracepb.Span_SPAN_KIND_SERVER, request.Kind)
	require.Equal(t, tracepb.Span_SPAN_KIND_CLIENT, statement.Kind)
	require.Equal(t, "vendor=x", statement.TraceState)
	host, port, err := net.SplitHostPort(strings.TrimPrefix(i.url, "http://"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"http.request.method": "GET", "http.route": "/v1/orders/:order", "url.scheme": "http",
		"http.response.status_code": "200", "server.address": host, "server.port": port,
		"brokerage.transaction": "get_order", "brokerage.store": "sqlite", "brokerage.outcome": "ok",
	}, attributesOf(request))
	require.Equal(t, map[string]string{"db.system.name": "sqlite", "db.query.summary": "get_order"},
		attributesOf(statement))
	line := i.logs.wait(t, "get_order")
	require.Equal(t, first, line["trace_id"])
	require.Equal(t, hex.EncodeToString(request.SpanId), line["span_id"])

	// A write has a span for its commit.
	_, spans = traced(2, 5, http.MethodPost, "/v1/accounts/104000000/buy", buy)
	for _, name := range []string{"customer_of_account", "get_quote", "replace_customer", "commit"} {
		require.Equal(t, spans["POST /v1/accounts/:account/buy"].SpanId, spans[name].ParentSpanId, name)
	}
	// A missing document is not an error of a statement.
	_, spans = traced(3, 2, http.MethodGet, "/v1/orders/777777", "")
	request, statement = spans["GET /v1/orders/:order"], spans["get_order"]
	require.Equal(t, "not_found", attributesOf(request)["brokerage.outcome"])
	require.Zero(t, statement.Status.GetCode()+request.Status.GetCode())
	require.NotContains(t, attributesOf(request), "error.type")

	traced(4, 2, http.MethodGet, "/v1/securities?sector=Energy&peMin=20&peMax=27&yieldMin=4", "")
	get(t, i.url+"/healthz") // a probe is no span
	i.stop(t)                // the last spans are sent before the end
	c.mu.Lock()
	defer c.mu.Unlock()
	text := c.text.String()
	for _, named := range []string{"service.name", "service.instance.id", "k8s.pod.name", "brokerage-0"} {
		require.Contains(t, text, named)
	}
	for _, secret := range []string{
		"103282", "777777", "104000000", "Energy", "Symbol", "Quantity", "get_health", "sector",
	} {
		require.NotContains(t, text, secret)
	}
}
