package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"brokerage/internal/redact"
)

// Traces send a span for each request and for each of its statements to a collector. What they say comes from the
// program: names, statuses, times, never a document or a parameter.
type Traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	w3c      propagation.TraceContext
	store    string
}

// endpointVariables are OpenTelemetry's for the address of a collector.
var endpointVariables = [...]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"}

// sizeVariables are those for numbers of spans that are kept, and maxSpans bounds them.
var sizeVariables = [...]string{"OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"}

const maxSpans = 1_000_000

// TracesWanted tells whether there are to be traces: an endpoint is set, by the service's own setting or by
// OpenTelemetry's variables, and none of those says no.
func TracesWanted(endpoint string) bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return endpoint != "" || slices.ContainsFunc(endpointVariables[:], func(name string) bool { return os.Getenv(name) != "" })
}

// NewTraces makes the traces of a service on a kind of store. The endpoint is the collector's, http://host:4318;
// without one OpenTelemetry's variables have it, as they have everything else: headers, sampling, sizes of batches.
// That the collector does not answer is told in the log and to nobody else.
func NewTraces(ctx context.Context, endpoint string, build BuildInfo, store string, log *slog.Logger) (*Traces, error) {
	var options []otlptracehttp.Option
	if endpoint != "" {
		u, err := redact.Parse(endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("%q is not the URL of a collector, such as http://127.0.0.1:4318", redact.URL(endpoint))
		}
		options = append(options, otlptracehttp.WithEndpointURL(u.JoinPath("v1/traces").String()))
	}
	for _, variable := range endpointVariables { // OpenTelemetry would print one that it cannot parse
		if value := os.Getenv(variable); value != "" {
			if _, err := redact.Parse(value); err != nil {
				return nil, fmt.Errorf("%s: %w", variable, err)
			}
		}
	}
	for _, variable := range sizeVariables { // for so many OpenTelemetry makes room at once
		if n, err := strconv.Atoi(os.Getenv(variable)); err == nil && n > maxSpans {
			return nil, fmt.Errorf("%s: %d is outside of the range from 1 to %d", variable, n, maxSpans)
		}
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, err
	}
	// The last to say what a resource is counts: the variables.
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "brokerage"), attribute.String("service.version", build.Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, err
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(&exporterThatTells{SpanExporter: exporter, log: log}), sdk.WithResource(about))
	return &Traces{provider: provider, tracer: provider.Tracer("brokerage"), store: store}, nil
}

// Close sends what is left.
func (t *Traces) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// Request begins the span of a request, which goes on with the trace that its headers name. The context is for what is
// done for the request.
func (t *Traces) Request(r *http.Request, transaction string) (ctx context.Context, end func(outcome string, status int)) {
	ctx = t.w3c.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := t.tracer.Start(ctx, transaction, trace.WithSpanKind(trace.SpanKindServer))
	if !span.IsRecording() {
		return ctx, func(string, int) { span.End() }
	}
	return ctx, func(outcome string, status int) {
		span.SetAttributes(
			attribute.String("brokerage.transaction", transaction), attribute.String("brokerage.store", t.store),
			attribute.String("brokerage.outcome", outcome), attribute.Int("http.response.status_code", status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, outcome)
		}
		span.End()
	}
}

// Statement begins the span of a statement of a request, by its name.
func (t *Traces) Statement(ctx context.Context, name string) (end func(error)) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return func(error) {} // of no request that is followed
	}
	_, span := t.tracer.Start(ctx, t.store+" "+name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("db.system.name", t.store), attribute.String("db.operation.name", name)))
	return func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, "") // its text may have what a client sent; the log has it
		}
		span.End()
	}
}

// exporterThatTells logs what goes wrong with sending, once a minute at most: the spans of that time are lost, and
// nothing else.
type exporterThatTells struct {
	sdk.SpanExporter

	log  *slog.Logger
	told atomic.Int64 // when, Unix time
}

const tellEvery = time.Minute

// ExportSpans is of sdk.SpanExporter.
func (e *exporterThatTells) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	now, last := time.Now().Unix(), e.told.Load()
	if err != nil && now-last >= int64(tellEvery.Seconds()) && e.told.CompareAndSwap(last, now) {
		e.log.Warn("traces were not sent", "spans", len(spans), "error", redact.Error(err))
	}
	return nil
}

// WithTraceIDs adds to each line of a log that belongs to a request the trace that it belongs to.
func WithTraceIDs(log *slog.Logger) *slog.Logger { return slog.New(traceHandler{log.Handler()}) }

type traceHandler struct{ slog.Handler }

// Handle is of slog.Handler.
func (h traceHandler) Handle(ctx context.Context, r slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs is of slog.Handler.
func (h traceHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return traceHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup is of slog.Handler.
func (h traceHandler) WithGroup(name string) slog.Handler {
	return traceHandler{h.Handler.WithGroup(name)}
}
