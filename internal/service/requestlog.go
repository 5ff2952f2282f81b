package service

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"

	"golang.org/x/time/rate"

	"brokerage/internal/httpapi"
)

// Up to linesPerSecond requests are logged each second, and one in beyondEvery of the others.
const (
	linesPerSecond = 100
	beyondEvery    = 100
)

// requestLog returns a function that logs a line for each request, or for a sample of them when there are many. Faults
// of the service are always logged, except 503, which are most frequent under the heaviest load. Probes and scrapes
// that succeed are logged at level debug.
func requestLog(log *slog.Logger) func(context.Context, httpapi.RequestLog) {
	limiter := rate.NewLimiter(linesPerSecond, linesPerSecond)
	var beyond, leftOut atomic.Int64 // requests over the limit; requests left out since the last line
	return func(ctx context.Context, r httpapi.RequestLog) {
		level := slog.LevelInfo
		switch {
		case r.Status == http.StatusServiceUnavailable:
			level = slog.LevelWarn
		case r.Status >= 500:
			level = slog.LevelError
		case r.Transaction == "get_health", r.Transaction == "get_readiness", r.Transaction == "get_metrics":
			level = slog.LevelDebug
		}
		if !log.Enabled(ctx, level) {
			return
		}
		if !limiter.Allow() && level != slog.LevelError && beyond.Add(1)%beyondEvery != 0 {
			leftOut.Add(1)
			return
		}
		attrs := []slog.Attr{
			slog.Int("status", r.Status),
			slog.String("method", r.Method),
			slog.String("path", r.Path),
			slog.Int("bytes", r.Bytes),
			slog.Float64("ms", float64(r.Took.Microseconds())/1000),
			slog.String("request_id", r.RequestID),
		}
		if r.Client != "" {
			attrs = append(attrs, slog.String("client", r.Client))
		}
		if r.Err != nil {
			attrs = append(attrs, slog.String("error", r.Err.Error()))
		}
		if n := leftOut.Swap(0); n > 0 {
			attrs = append(attrs, slog.Int64("sampled", n))
		}
		log.LogAttrs(ctx, level, r.Transaction, attrs...)
	}
}
