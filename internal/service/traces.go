package service

import (
	"context"
	"net/http"
	"time"

	"brokerage/internal/httpapi"
	"brokerage/internal/store/trace"
	"brokerage/internal/telemetry"
)

// traces are the traces of a service; the zero value sends none.
type traces struct{ *telemetry.Traces }

// openTraces starts to send traces if they are wanted. From then on, each line of the log has its trace id.
func (s *service) openTraces(ctx context.Context) error {
	if !telemetry.TracesWanted(s.OTLPEndpoint) {
		return nil
	}
	sent, err := telemetry.NewTraces(ctx, s.OTLPEndpoint, s.process.Build, s.database.TraceName, s.log)
	if err != nil {
		return configErrorf("--otlp-endpoint: %w", err)
	}
	s.traces = traces{sent}
	s.closing(func() error { s.traces.close(ctx); return nil })
	s.log.Info("traces are sent")
	s.log = telemetry.WithTraceIDs(s.log)
	return nil
}

// begin returns what begins a span for a statement of the store; nil, which costs nothing, without traces.
func (t traces) begin() trace.Begin {
	if t.Traces == nil {
		return nil
	}
	return t.Statement
}

func (t traces) tracer() httpapi.Tracer {
	if t.Traces == nil {
		return nil
	}
	return t.Traces
}

// outgoing returns a transport that traces the service's own requests; nil without traces.
func (t traces) outgoing(name string) http.RoundTripper {
	if t.Traces == nil {
		return nil
	}
	return t.Outgoing(name)
}

// flushTimeout is how long a service that stops waits until the collector has its last traces.
const flushTimeout = 5 * time.Second

func (t traces) close(ctx context.Context) {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	_ = t.Close(bounded) // what could not be sent has been logged
}
