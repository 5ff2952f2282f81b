package httpapi

import (
	"errors"
	"net/http"
	"time"

	"brokerage/internal/telemetry"
	"brokerage/internal/tpox"
)

// Metrics count requests.
type Metrics interface {
	Observe(transaction, outcome string, took time.Duration, received, sent int, traceID string)
	Refused(reason string)
	InFlight(delta int)
	Handler() http.Handler
}

// RequestLog describes a request that has ended.
type RequestLog struct {
	Transaction, Method, Path, Client, RequestID string
	Status, Bytes                                int
	Took                                         time.Duration
	Err                                          error // behind a problem; it may contain what clients must not see
}

// report counts and logs a request that has ended.
func (s *Server) report(q *request, took time.Duration) {
	status, size := q.Writer.Status(), max(q.Writer.Size(), 0)
	q.record(status)
	ended, reason, traceID := outcome(status, q.err), refusal(status, q.err), ""
	if q.traced != nil {
		traceID = q.traced(ended, status)
	}
	if !q.op.endless || status >= http.StatusBadRequest { // the duration of a stream measures nothing
		if m := s.options.Metrics; m != nil {
			m.Observe(q.op.name, ended, took, q.received, size, traceID)
			if reason != "" {
				m.Refused(reason)
			}
		}
		s.live.Count(q.op.name, status, took, !q.op.open) // the durations of probes and pages would hide the others
		if reason != "" {
			s.live.CountRefused(reason)
		}
	}
	if s.options.LogRequest != nil {
		s.options.LogRequest(q.Request.Context(), RequestLog{
			Transaction: q.op.name, Method: q.Request.Method, Path: q.Request.URL.Path,
			Client: q.clientName(), RequestID: q.id,
			Status: status, Bytes: size, Took: took, Err: q.err,
		})
	}
}

// outcome returns how a request ended: one of telemetry.Outcomes.
func outcome(status int, err error) string {
	switch {
	case status < 400:
		return telemetry.OK
	case tpox.Is[*tpox.Damaged](err):
		return telemetry.Damaged
	case status == http.StatusNotFound:
		return telemetry.NotFound
	case status == http.StatusConflict:
		return telemetry.Conflict
	case status == http.StatusUnprocessableEntity && tpox.Is[*tpox.Invalid](err):
		return telemetry.Invalid
	case status == http.StatusServiceUnavailable:
		return telemetry.Unavailable
	case status == http.StatusGatewayTimeout:
		return telemetry.Timeout
	case status < 500:
		return telemetry.Refused
	default:
		return telemetry.Failed
	}
}

// refusal returns why a request was refused before the store began it, as one of telemetry.Reasons, or "" if not.
func refusal(status int, err error) string {
	switch {
	case errors.Is(err, errQueueFull):
		return telemetry.QueueFull
	case errors.Is(err, errQueueWait):
		return telemetry.QueueWait
	case errors.Is(err, errStopping):
		return telemetry.Draining
	case errors.Is(err, errManyStreams):
		return telemetry.WatchersFull
	case errors.Is(err, errAudit):
		return telemetry.AuditLog
	case status == http.StatusTooManyRequests:
		return telemetry.RateLimit
	case status == http.StatusRequestEntityTooLarge:
		return telemetry.TooLarge
	case status == http.StatusUnauthorized:
		return telemetry.Unauthorized
	case status == http.StatusForbidden:
		return telemetry.Forbidden
	default:
		return ""
	}
}
