package httpapi

import (
	"errors"
	"net/http"

	"brokerage/internal/telemetry"
	"brokerage/internal/tpox"
)

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

// refusal returns why a request was refused before the store saw it: one of telemetry.Reasons, or "" if it was not.
func refusal(status int, err error) string {
	unavailable, _ := errors.AsType[*tpox.Unavailable](err)
	switch {
	case errors.Is(err, errQueueFull), unavailable != nil && unavailable.Busy:
		return telemetry.QueueFull
	case errors.Is(err, errQueueWait):
		return telemetry.QueueWait
	case errors.Is(err, errStopping):
		return telemetry.Draining
	case errors.Is(err, errWatched):
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
