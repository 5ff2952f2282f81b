package telemetry

import (
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Outgoing returns a transport for requests that the service itself sends. Each is a span of the given name, in the
// trace of its context or else in a new one, and passes the trace on in W3C's headers.
func (t *Traces) Outgoing(name string) http.RoundTripper { return outgoing{t, name} }

type outgoing struct {
	traces *Traces
	name   string
}

// RoundTrip implements http.RoundTripper.
func (o outgoing) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, span := o.traces.tracer.Start(r.Context(), o.name, trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	r = r.Clone(ctx) // it is the caller's
	o.traces.w3c.Inject(ctx, propagation.HeaderCarrier(r.Header))
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		span.SetStatus(codes.Error, "") // its text may hold an address, and is in the log
		return nil, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
	if response.StatusCode >= http.StatusBadRequest {
		span.SetStatus(codes.Error, "")
	}
	return response, nil
}
