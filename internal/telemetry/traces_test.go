package telemetry_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"brokerage/internal/telemetry"
)

func TestTracesWanted(t *testing.T) {
	for name, c := range map[string]struct {
		endpoint  string
		variables map[string]string
		wanted    bool
	}{
		"Nothing":    {},
		"Setting":    {endpoint: "http://x", wanted: true},
		"Variable":   {variables: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, wanted: true},
		"OfTraces":   {variables: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"}, wanted: true},
		"Disabled":   {endpoint: "http://x", variables: map[string]string{"OTEL_SDK_DISABLED": "TRUE"}},
		"NoExporter": {endpoint: "http://x", variables: map[string]string{"OTEL_TRACES_EXPORTER": "none"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
				"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER"} {
				t.Setenv(variable, c.variables[variable])
			}
			require.Equal(t, c.wanted, telemetry.TracesWanted(c.endpoint))
		})
	}
}

// newTraces returns traces that are sent to a collector which ignores them.
func newTraces(t testing.TB) *telemetry.Traces {
	t.Helper()
	collector := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(collector.Close)
	traces, err := telemetry.NewTraces(t.Context(), collector.URL, build, "sqlite", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, traces.Close(context.WithoutCancel(t.Context()))) })
	return traces
}

func TestTraces_BadEndpoint(t *testing.T) {
	for _, endpoint := range []string{"localhost:4318", "127.0.0.1:4318", "ftp://x", "http://", "::"} {
		_, err := telemetry.NewTraces(t.Context(), endpoint, build, "sqlite", slog.Default())
		require.ErrorContains(t, err, "is not the URL of a collector", endpoint)
	}
}

const route = "/v1/orders/:order"

const parent = "00-000102030405060708090a0b0c0d0e0f-0102030405060708-01"

func request(t testing.TB, traceparent string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/orders/1", http.NoBody)
	if traceparent != "" {
		r.Header.Set("Traceparent", traceparent)
	}
	return r
}

// A statement outside a request, or of a request that is not sampled, is not traced.
func TestTraces_NotFollowed(t *testing.T) {
	traces := newTraces(t)
	require.Zero(t, testing.AllocsPerRun(100, func() { traces.Statement(t.Context(), "get_order", nil)(nil) }))
	ctx, end := traces.Request(request(t, parent[:len(parent)-2]+"00"), "get_order", route)
	require.Zero(t, testing.AllocsPerRun(100, func() { traces.Statement(ctx, "get_order", nil)(nil) }))
	require.Empty(t, end(telemetry.OK, 200))
	_, end = traces.Request(request(t, parent), "get_order", route)
	require.Equal(t, parent[3:35], end(telemetry.OK, 200))
}

// A request that the service sends continues the trace of the request that causes it, sampled or not, or begins a
// trace of its own.
func TestTraces_Outgoing(t *testing.T) {
	traces := newTraces(t)
	asked := make(chan http.Header, 1)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.Header }))
	t.Cleanup(other.Close)
	for name, c := range map[string]struct{ traceparent, begins, ends string }{
		"Sampled":    {parent, parent[:36], "-01"},
		"NotSampled": {parent[:len(parent)-2] + "00", parent[:36], "-00"},
		"OfNone":     {"", "00-", "-01"},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(t, c.traceparent)
			r.Header.Set("Tracestate", "vendor=x")
			ctx, end := traces.Request(r, "get_order", route)
			defer end(telemetry.OK, 200)
			if c.traceparent == "" {
				ctx = t.Context()
			}
			own, err := http.NewRequestWithContext(ctx, http.MethodGet, other.URL, http.NoBody)
			require.NoError(t, err)
			response, err := traces.RoundTrip(own)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			header := <-asked
			require.Len(t, header.Get("Traceparent"), len(parent))
			require.True(t, strings.HasPrefix(header.Get("Traceparent"), c.begins))
			require.True(t, strings.HasSuffix(header.Get("Traceparent"), c.ends))
			require.NotEqual(t, parent[36:52], header.Get("Traceparent")[36:52], "the span is the service's own")
			if c.traceparent != "" {
				require.Equal(t, "vendor=x", header.Get("Tracestate"))
			}
			require.Empty(t, own.Header, "it is the caller's")
		})
	}
}

// The error type of a request is its status, and that of a statement the type of its cause. Texts of errors are not
// sent. Each span names its server.
func TestTraces_Errors(t *testing.T) {
	sent := make(chan []byte, 1)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a body that is cut off cannot be decoded
		sent <- body
	}))
	t.Cleanup(collector.Close)
	traces, err := telemetry.NewTraces(t.Context(), collector.URL, build, "ibm.db2", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	ctx, end := traces.Request(request(t, parent), "get_order", route)
	server := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 5432}
	traces.Statement(ctx, "get_order", server)(fmt.Errorf("statement with secret: %w", &net.OpError{Op: "secret"}))
	end(telemetry.Failed, http.StatusInternalServerError)
	require.NoError(t, traces.Close(t.Context()))
	body := <-sent
	require.NotContains(t, string(body), "secret")
	var all tracepb.TracesData
	require.NoError(t, proto.Unmarshal(body, &all))
	found := map[string][]string{}
	for _, span := range all.ResourceSpans[0].ScopeSpans[0].Spans {
		require.Equal(t, tracepb.Status_STATUS_CODE_ERROR, span.Status.Code)
		for _, a := range span.Attributes {
			switch a.Key {
			case string(semconv.ErrorTypeKey), string(semconv.DBSystemNameKey), string(semconv.ServerAddressKey):
				found[span.Name] = append(found[span.Name], a.Value.GetStringValue())
			case string(semconv.ServerPortKey):
				found[span.Name] = append(found[span.Name], strconv.FormatInt(a.Value.GetIntValue(), 10))
			}
		}
	}
	require.Equal(t, map[string][]string{
		"GET " + route: {"example.com", "500"},
		"get_order":    {semconv.DBSystemNameIBMDB2.Value.AsString(), "192.0.2.7", "5432", "*net.OpError"},
	}, found)
}

// OpenTelemetry's variables are checked as settings: OpenTelemetry would print a password, or allocate memory for any
// number of spans.
func TestNewTraces_Refusals(t *testing.T) {
	for variable, c := range map[string]struct{ value, says string }{
		"OTEL_EXPORTER_OTLP_ENDPOINT": {"http://u:secret/x@127.0.0.1:1", "OTEL_EXPORTER_OTLP_ENDPOINT: not a URL"},
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": {"http://u:secret@x@127.0.0.1:1",
			"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: not a URL"},
		"OTEL_BSP_MAX_QUEUE_SIZE": {"99999999999",
			"OTEL_BSP_MAX_QUEUE_SIZE: 99999999999 is outside of the range from 1 to 1000000"},
		"OTEL_BSP_MAX_EXPORT_BATCH_SIZE": {"99999999999",
			"OTEL_BSP_MAX_EXPORT_BATCH_SIZE: 99999999999 is outside of the range from 1 to 1000000"},
	} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, c.value)
			_, err := telemetry.NewTraces(t.Context(), "http://127.0.0.1:1", telemetry.BuildInfo{}, "null",
				slog.New(slog.DiscardHandler))
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "secret")
		})
	}
}
