package telemetry

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// Logger returns a logger that writes lines for people, or JSON.
func Logger(w io.Writer, human bool, level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if human {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// Sampler chooses which lines of a log are written: in each second the first ones up to a number, then one of every n,
// so that a busy service does not spend its time on its log. It is safe for concurrent use.
type Sampler struct {
	all, every int64

	mu      sync.Mutex
	second  int64
	seen    int64 // in that second
	leftOut int64 // since the last that was written
}

// NewSampler returns a Sampler that writes the first all lines of each second, and then one of every n.
func NewSampler(all, every int) *Sampler {
	return &Sampler{all: int64(all), every: int64(max(every, 1))}
}

// Take reports whether a line is written, and how many lines were left out before it. A line that matters is always
// written.
func (s *Sampler) Take(now time.Time, matters bool) (write bool, leftOut int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if second := now.Unix(); second != s.second {
		s.second, s.seen = second, 0
	}
	s.seen++
	if beyond := s.seen - s.all; !matters && beyond > 0 && beyond%s.every != 0 {
		s.leftOut++
		return false, 0
	}
	leftOut, s.leftOut = s.leftOut, 0
	return true, leftOut
}

// WithTraceIDs returns a logger that adds the ids of trace and span to each line that belongs to a request.
func WithTraceIDs(log *slog.Logger) *slog.Logger { return slog.New(traceHandler{log.Handler()}) }

type traceHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h traceHandler) Handle(ctx context.Context, r slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h traceHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return traceHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h traceHandler) WithGroup(name string) slog.Handler {
	return traceHandler{h.Handler.WithGroup(name)}
}
