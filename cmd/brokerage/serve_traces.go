package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"brokerage/internal/httpapi"
	"brokerage/internal/store"
	"brokerage/internal/store/trace"
	"brokerage/internal/telemetry"
)

// traces are those of a service, if there are to be any.
type traces struct{ *telemetry.Traces }

// traces begins to send traces if they are wanted; the log then tells of each
// line which trace it belongs to.
func (c *serveCmd) traces(ctx context.Context, build telemetry.BuildInfo, log *slog.Logger) (traces, *slog.Logger, error) {
	if !telemetry.TracesWanted(c.OTLPEndpoint) {
		return traces{}, log, nil
	}
	scheme, _, _ := store.Parse(c.DB)
	if scheme == store.Postgres {
		scheme = "postgresql" // as OpenTelemetry calls it
	}
	made, err := telemetry.NewTraces(ctx, c.OTLPEndpoint, build, scheme, log)
	if err != nil {
		return traces{}, log, usagef("--otlp-endpoint: %w", err)
	}
	log.Info("traces are sent")
	return traces{made}, telemetry.WithTraceIDs(log), nil
}

// begin is for the store. Without traces it is nil, and costs nothing.
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

// outgoing carries requests of the service's own; nil without traces.
func (t traces) outgoing(name string) http.RoundTripper {
	if t.Traces == nil {
		return nil
	}
	return t.Outgoing(name)
}

// sendWithin is how long a service that stops waits for its last traces to be
// taken.
const sendWithin = 5 * time.Second

func (t traces) close(ctx context.Context) {
	if t.Traces == nil {
		return
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendWithin)
	defer cancel()
	_ = t.Close(bounded) // what could not be sent has been told
}
