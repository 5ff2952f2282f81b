package main

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector accepts traces, as OpenTelemetry's does.
type collector struct {
	*httptest.Server

	mu    sync.Mutex
	text  strings.Builder
	spans []span
}

type span struct {
	*tracepb.Span

	traceID, spanID, parentSpanID string
	schema                        string            // of its scope
	resource                      map[string]string // that sent it
}

func (s span) attributes() map[string]string { return textsOf(s.Attributes) }

// named returns attributes by the names that OpenTelemetry publishes.
func named(attributes ...attribute.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range attributes {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

func textsOf(attributes []*commonpb.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range attributes {
		all[a.Key] = a.Value.GetStringValue()
		if _, ok := a.Value.GetValue().(*commonpb.AnyValue_IntValue); ok {
			all[a.Key] = strconv.FormatInt(a.Value.GetIntValue(), 10)
		}
	}
	return all
}

func newCollector(t testing.TB) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		var sent tracepb.TracesData
		if err == nil {
			err = proto.Unmarshal(text, &sent)
		}
		if err != nil || r.URL.Path != "/v1/traces" || r.Method != http.MethodPost {
			http.Error(w, "not traces", http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.text.Write(text)
		for _, of := range sent.ResourceSpans {
			for _, scope := range of.ScopeSpans {
				for _, s := range scope.Spans {
					c.spans = append(c.spans, span{
						s, hex.EncodeToString(s.TraceId), hex.EncodeToString(s.SpanId), hex.EncodeToString(s.ParentSpanId),
						scope.SchemaUrl, textsOf(of.Resource.Attributes),
					})
				}
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

// trace waits for the given number of spans of a trace, and returns them by name.
func (c *collector) trace(t testing.TB, id string, n int) map[string]span {
	t.Helper()
	all := map[string]span{}
	eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, s := range c.spans {
			if s.traceID == id {
				all[s.Name] = s
			}
		}
		return len(all) >= n
	}, "%d spans, not %v", n, &all)
	require.Len(t, all, n)
	return all
}

// traced sends a request as part of the trace with the given number.
func traced(t testing.TB, method, url, body string, n int) (id, parent string) {
	t.Helper()
	id, parent = strings.Repeat("0", 31)+strconv.Itoa(n), "00000000000000a1"
	send(t, method, url, "", body, "Traceparent", "00-"+id+"-"+parent+"-01", "Tracestate", "vendor=x")
	return id, parent
}

// Every request is a span of its caller's trace, and every statement one below it; lines of the log name the trace; no
// part of a document is sent.
func TestServe_Traces(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	variables := []string{"OTEL_BSP_SCHEDULE_DELAY=50", "OTEL_RESOURCE_ATTRIBUTES=k8s.pod.name=brokerage-0"}
	i := servingWith(t, tinyDB(t), variables, "--otlp-endpoint", c.URL)
	at, err := url.Parse(i.url)
	require.NoError(t, err)
	port, err := strconv.Atoi(at.Port())
	require.NoError(t, err)

	id, parent := traced(t, http.MethodGet, i.url+"/v1/orders/103282", "", 1)
	spans := c.trace(t, id, 2)
	request, statement := spans["GET /v1/orders/:order"], spans["get_order"]
	require.Equal(t, parent, request.parentSpanID)
	require.Equal(t, "vendor=x", request.TraceState) // passed on
	require.Equal(t, request.spanID, statement.parentSpanID)
	require.Equal(t, "vendor=x", statement.TraceState)
	require.Equal(t, tracepb.Span_SPAN_KIND_SERVER, request.Kind)
	require.Equal(t, named(
		semconv.HTTPRequestMethodGet, semconv.HTTPRoute("/v1/orders/:order"), semconv.URLScheme("http"),
		semconv.HTTPResponseStatusCode(200), attribute.String("brokerage.transaction", "get_order"),
		attribute.String("brokerage.store", "sqlite"), attribute.String("brokerage.outcome", "ok"),
		semconv.ServerAddress(at.Hostname()), semconv.ServerPort(port),
	), request.attributes())
	require.Equal(t, tracepb.Span_SPAN_KIND_CLIENT, statement.Kind)
	require.Equal(t, named(semconv.DBSystemNameSQLite, semconv.DBQuerySummary("get_order")), statement.attributes())
	require.Equal(t, semconv.SchemaURL, request.schema)
	require.Equal(t, "brokerage", request.resource[string(semconv.ServiceNameKey)])
	require.Equal(t, "brokerage-0", request.resource[string(semconv.K8SPodNameKey)])
	require.Regexp(t, "^[0-9a-f-]{36}$", request.resource[string(semconv.ServiceInstanceIDKey)])
	line := i.logs.wait(t, "get_order")
	require.Equal(t, id, line["trace_id"])
	require.Equal(t, request.spanID, line["span_id"])

	// A write has a span for its commit.
	id, _ = traced(t, http.MethodPost, i.url+"/v1/accounts/104000000/buy", buy, 2)
	spans = c.trace(t, id, 5)
	for _, name := range []string{"customer_of_account", "get_quote", "replace_customer", "commit"} {
		require.Equal(t, spans["POST /v1/accounts/:account/buy"].spanID, spans[name].parentSpanID, name)
	}
	// A missing document is not an error of a statement.
	id, _ = traced(t, http.MethodGet, i.url+"/v1/orders/777777", "", 3)
	spans = c.trace(t, id, 2)
	request, statement = spans["GET /v1/orders/:order"], spans["get_order"]
	require.Equal(t, "not_found", request.attributes()["brokerage.outcome"])
	require.Zero(t, statement.Status.Code)
	require.Zero(t, request.Status.Code)
	require.NotContains(t, request.attributes(), string(semconv.ErrorTypeKey))

	id, _ = traced(t, http.MethodGet, i.url+"/v1/securities?sector=Energy&peMin=20&peMax=27&yieldMin=4", "", 4)
	c.trace(t, id, 2)
	get(t, i.url+"/healthz") // a probe is no span
	i.stop(t)                // the last spans are sent before the end
	c.mu.Lock()
	defer c.mu.Unlock()
	text := c.text.String()
	require.Contains(t, text, "service.name")
	for _, secret := range []string{
		"103282", "777777", "104000000", "Energy", "Symbol", "Quantity", "get_health", "sector",
	} {
		require.NotContains(t, text, secret)
	}
}
