package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"brokerage/internal/format"
)

// Traces send spans to a collector: of requests, of their statements and of requests to other services. Spans have
// names, statuses and times, never a document or a parameter.
type Traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	w3c      propagation.TraceContext
	store    string
}

// endpointVariables are OpenTelemetry's variables for the URL of a collector.
var endpointVariables = [...]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"}

// conventions is the URL of OpenTelemetry's semantic conventions, which define the names of spans and attributes.
const conventions = "https://opentelemetry.io/schemas/1.43.0"

// sizeVariables are OpenTelemetry's variables for numbers of spans in memory; maxSpans is the limit.
var sizeVariables = [...]string{"OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"}

const maxSpans = 1_000_000

// TracesWanted reports whether traces are enabled: an endpoint is set, by the service's own setting or by
// OpenTelemetry's variables, and no variable disables traces.
func TracesWanted(endpoint string) bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	isSet := func(name string) bool { return os.Getenv(name) != "" }
	return endpoint != "" || slices.ContainsFunc(endpointVariables[:], isSet)
}

// NewTraces returns the traces of a service on the named engine. The endpoint is the collector's, such as
// http://host:4318; when it is empty, OpenTelemetry's variables name it. They also set headers, sampling and the sizes
// of batches. A collector that does not answer is logged, and is no error.
func NewTraces(ctx context.Context, endpoint string, build BuildInfo, store string, log *slog.Logger) (*Traces, error) {
	for _, variable := range endpointVariables { // OpenTelemetry would print a URL that it cannot parse, secrets included
		if value := os.Getenv(variable); value != "" {
			if _, err := format.ParseURL(value); err != nil {
				return nil, fmt.Errorf("%s: %w", variable, err)
			}
		}
	}
	for _, variable := range sizeVariables { // OpenTelemetry allocates room for that many spans at once
		if n, err := strconv.Atoi(os.Getenv(variable)); err == nil && n > maxSpans {
			return nil, fmt.Errorf("%s: %d is outside of the range from 1 to %d", variable, n, maxSpans)
		}
	}
	var options []otlptracehttp.Option
	if endpoint != "" {
		u, err := format.ParseURL(endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("%q is not the URL of a collector, such as http://127.0.0.1:4318", format.URL(endpoint))
		}
		options = append(options, otlptracehttp.WithEndpointURL(u.JoinPath("v1/traces").String()))
	}
	otel.SetLogger(logr.New(variableSink{log: log}))
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, err
	}
	// A later attribute replaces an earlier one, so the variables win.
	about, err := resource.New(ctx,
		resource.WithService(), // a random service.instance.id
		resource.WithAttributes(
			attribute.String("service.name", "brokerage"), attribute.String("service.version", build.Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, err
	}
	batcher := sdk.WithBatcher(&loggingExporter{SpanExporter: exporter, log: log})
	provider := sdk.NewTracerProvider(batcher, sdk.WithResource(about))
	tracer := provider.Tracer("brokerage", trace.WithSchemaURL(conventions))
	return &Traces{provider: provider, tracer: tracer, store: store}, nil
}

// A variableSink logs that OpenTelemetry ignores one of its variables, without the value, which may be a secret.
type variableSink struct {
	logr.LogSink // is never called: Error and Enabled decide

	log *slog.Logger
}

// Init implements logr.LogSink.
func (variableSink) Init(logr.RuntimeInfo) {}

// Enabled implements logr.LogSink: only errors matter.
func (variableSink) Enabled(int) bool { return false }

// Error implements logr.LogSink.
func (s variableSink) Error(_ error, message string, _ ...any) {
	s.log.Warn("OpenTelemetry ignores a variable OTEL_…, because its value is invalid", "while", message)
}

// Close sends the remaining spans.
func (t *Traces) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// Request begins the span of a request for a route, in the trace that the headers of the request name. The returned
// context carries the span; end ends it, and returns the id of the trace if the request is sampled, otherwise "".
func (t *Traces) Request(
	r *http.Request, transaction, route string,
) (ctx context.Context, end func(outcome string, status int) (traceID string)) {
	ctx = t.w3c.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := t.tracer.Start(ctx, r.Method+" "+route, trace.WithSpanKind(trace.SpanKindServer))
	if !span.IsRecording() {
		return ctx, func(string, int) string {
			span.End()
			return ""
		}
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return ctx, func(outcome string, status int) string {
		span.SetAttributes( // without url.path, which has the ids of customers and orders
			attribute.String("http.request.method", r.Method), attribute.String("http.route", route),
			attribute.String("url.scheme", scheme), attribute.Int("http.response.status_code", status),
			attribute.String("brokerage.transaction", transaction), attribute.String("brokerage.store", t.store),
			attribute.String("brokerage.outcome", outcome))
		span.SetAttributes(addressOf(r.Host)...)
		if status >= http.StatusInternalServerError {
			span.SetAttributes(attribute.String("error.type", strconv.Itoa(status)))
			span.SetStatus(codes.Error, outcome)
		}
		span.End()
		return span.SpanContext().TraceID().String()
	}
}

// Statement begins the span of a request's statement; end ends it. server, the database server's address, may be nil.
func (t *Traces) Statement(ctx context.Context, name string, server net.Addr) (end func(error)) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return func(error) {} // the request is not traced
	}
	_, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("db.system.name", t.store), attribute.String("db.query.summary", name)))
	if server != nil {
		span.SetAttributes(addressOf(server.String())...)
	}
	return func(err error) {
		if err != nil {
			span.SetAttributes(attribute.String("error.type", errorType(err)))
			span.SetStatus(codes.Error, "") // its text may hold what a client sent, and is in the log
		}
		span.End()
	}
}

// addressOf returns the attributes of a server at HOST:PORT, at HOST, or at a path of the file system.
func addressOf(server string) []attribute.KeyValue {
	host, text, err := net.SplitHostPort(server)
	if err != nil {
		return []attribute.KeyValue{attribute.String("server.address", server)}
	}
	port, _ := strconv.Atoi(text) // 0 if text is ""
	return []attribute.KeyValue{attribute.String("server.address", host), attribute.Int("server.port", port)}
}

// errorType returns the Go type of the error that caused err, which says nothing about what a client sent.
func errorType(err error) string {
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		err = cause
	}
	return fmt.Sprintf("%T", err)
}

// loggingExporter logs failures to send, at most once a minute. The spans are lost.
type loggingExporter struct {
	sdk.SpanExporter

	log    *slog.Logger
	logged atomic.Int64 // Unix time of the last line
}

const logEvery = time.Minute

// ExportSpans implements sdk.SpanExporter.
func (e *loggingExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	now, last := time.Now().Unix(), e.logged.Load()
	if err != nil && now-last >= int64(logEvery.Seconds()) && e.logged.CompareAndSwap(last, now) {
		e.log.Warn("traces were not sent", "spans", len(spans), "error", format.Error(err))
	}
	return nil
}

// RoundTrip implements http.RoundTripper for requests that the service itself sends. Each is a span, in the trace of
// its context or else in a new one, and passes the trace on in W3C's headers.
func (t *Traces) RoundTrip(r *http.Request) (*http.Response, error) {
	port, err := strconv.Atoi(r.URL.Port())
	if err != nil { // the default of the scheme
		port = map[string]int{"http": 80, "https": 443}[r.URL.Scheme]
	}
	ctx, span := t.tracer.Start(r.Context(), r.Method, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes( // without url.full, which may hold a password
			attribute.String("http.request.method", r.Method), attribute.String("server.address", r.URL.Hostname()),
			attribute.Int("server.port", port)))
	defer span.End()
	r = r.Clone(ctx) // a RoundTripper must not change the request
	t.w3c.Inject(ctx, propagation.HeaderCarrier(r.Header))
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		span.SetAttributes(attribute.String("error.type", errorType(err)))
		span.SetStatus(codes.Error, "") // its text may hold an address, and is in the log
		return nil, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
	if response.StatusCode >= http.StatusBadRequest {
		span.SetAttributes(attribute.String("error.type", strconv.Itoa(response.StatusCode)))
		span.SetStatus(codes.Error, "")
	}
	return response, nil
}
