package main

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
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

// Every request is a span of its caller's trace, and every statement one below it; lines of the log name the trace; no
// part of a document is sent.
func TestServe_Traces(t *testing.T) {
	t.Parallel()
	c := &collector{}
	listener := httptest.NewServer(c)
	t.Cleanup(listener.Close)
	variables := []string{"OTEL_BSP_SCHEDULE_DELAY=50", "OTEL_RESOURCE_ATTRIBUTES=k8s.pod.name=brokerage-0"}
	i := servingWith(t, tinyDB(t), variables, "--otlp-endpoint", listener.URL)
	const parent = "00000000000000a1"
	traced := func(id, method, path, body string) {
		send(t, method, i.url+path, "", body, "Traceparent", "00-"+id+"-"+parent+"-01", "Tracestate", "vendor=x")
	}

	first, second := strings.Repeat("0", 31)+"1", strings.Repeat("0", 31)+"2"
	traced(first, http.MethodGet, "/v1/orders/103282", "")
	spans := c.trace(t, first, 2)
	request, statement := spans["GET /v1/orders/:order"], spans["get_order"]
	require.Equal(t, parent, hex.EncodeToString(request.ParentSpanId))
	require.Equal(t, "vendor=x", request.TraceState) // passed on
	require.Equal(t, request.SpanId, statement.ParentSpanId)
	require.Equal(t, tracepb.Span_SPAN_KIND_SERVER, request.Kind)
	require.Equal(t, tracepb.Span_SPAN_KIND_CLIENT, statement.Kind)
	attributes := map[string]string{}
	for _, a := range append(request.Attributes, statement.Attributes...) {
		attributes[a.Key] = a.Value.GetStringValue()
	}
	require.Equal(t, "/v1/orders/:order", attributes[string(semconv.HTTPRouteKey)])
	require.Equal(t, "ok", attributes["brokerage.outcome"])
	require.Equal(t, "get_order", attributes[string(semconv.DBQuerySummaryKey)])
	require.Equal(t, "127.0.0.1", attributes[string(semconv.ServerAddressKey)])
	line := i.logs.wait(t, "get_order")
	require.Equal(t, first, line["trace_id"])
	require.Equal(t, hex.EncodeToString(request.SpanId), line["span_id"])

	// A write has a span for its commit.
	traced(second, http.MethodPost, "/v1/accounts/104000000/buy", buy)
	spans = c.trace(t, second, 5)
	for _, name := range []string{"customer_of_account", "get_quote", "replace_customer", "commit"} {
		require.Equal(t, spans["POST /v1/accounts/:account/buy"].SpanId, spans[name].ParentSpanId, name)
	}
	get(t, i.url+"/healthz") // a probe is no span
	i.stop(t)                // the last spans are sent before the end
	c.mu.Lock()
	defer c.mu.Unlock()
	text := c.text.String()
	for _, named := range []string{"service.name", "k8s.pod.name", "brokerage-0"} {
		require.Contains(t, text, named)
	}
	for _, secret := range []string{"103282", "104000000", "Symbol", "Quantity", "get_health"} {
		require.NotContains(t, text, secret)
	}
}
