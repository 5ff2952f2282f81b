package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"brokerage/internal/access"
	"brokerage/internal/brokerage"
	"brokerage/internal/telemetry"
	"brokerage/internal/xmldoc"
)

// Errors that are HTTP's own.
var (
	errPath        = errors.New("there is no such path")
	errMethod      = errors.New("the method is not allowed here")
	errAcceptable  = errors.New("answers are application/xml or text/xml")
	errMediaType   = errors.New("bodies are application/xml or text/xml, without a Content-Encoding")
	errTooLarge    = errors.New("the body is over the limit")
	errOverloaded  = errors.New("more requests than the service takes at once")
	errQueueFull   = fmt.Errorf("%w: as many wait as may", errOverloaded)
	errQueueWait   = fmt.Errorf("%w: it has waited as long as it may", errOverloaded)
	errStopping    = errors.New("the service is stopping")
	errWatched     = errors.New("as many watch the service as may")
	errAudit       = errors.New("the audit log cannot be written")
	errNothingHere = errors.New("no dataset has been loaded")
)

type (
	malformed    struct{ found *xmldoc.Error }
	oversized    struct{ found *xmldoc.Error } // over a limit on what it is made of
	unauthorized struct{ missing bool }
	forbidden    struct{ scope access.Scope }
	wrongRequest struct{ detail string }
	fault        struct{ cause error } // of the service
	unready      struct{ cause error } // the store's
)

func (e *malformed) Error() string    { return e.found.Msg }
func (e *oversized) Error() string    { return errTooLarge.Error() }
func (e *oversized) Unwrap() error    { return errTooLarge }
func (e *unauthorized) Error() string { return "a valid bearer token is needed" }
func (e *forbidden) Error() string    { return "the token does not have the scope " + string(e.scope) }
func (e *wrongRequest) Error() string { return e.detail }
func (e *fault) Error() string        { return e.cause.Error() }
func (e *unready) Error() string      { return e.cause.Error() }

func badRequest(format string, args ...any) error {
	return &wrongRequest{fmt.Sprintf(format, args...)}
}

// kind is a type of problems: x-problems of the contract.
type kind struct {
	name   string
	status int
	title  string
}

var (
	kindBadRequest     = kind{"bad-request", 400, "The request is not of the form that the contract says"}
	kindMalformed      = kind{"malformed", 400, "The body is not well-formed XML or not taken"}
	kindUnauthorized   = kind{"unauthorized", 401, "A valid token is needed"}
	kindForbidden      = kind{"forbidden", 403, "The token does not have the scope"}
	kindNotFound       = kind{"not-found", 404, "Not found"}
	kindMethod         = kind{"method-not-allowed", 405, "The method is not allowed here"}
	kindNotAcceptable  = kind{"not-acceptable", 406, "The answer is not to be had in an accepted form"}
	kindStale          = kind{"stale", 412, "The document is not that version"}
	kindTooLarge       = kind{"too-large", 413, "The body is too large"}
	kindMediaType      = kind{"unsupported-media-type", 415, "The body is not of a media type that is taken"}
	kindInvalid        = kind{"invalid", 422, "The document is not valid"}
	kindKeyReused      = kind{"key-reused", 422, "The idempotency key was used for another request"}
	kindTooMany        = kind{"too-many-requests", 429, "Too many requests"}
	kindInternal       = kind{"internal", 500, "The service failed"}
	kindDamaged        = kind{"damaged", 500, "What is stored is damaged"}
	kindOverloaded     = kind{"overloaded", 503, "The service is at its limit"}
	kindUnavailable    = kind{"unavailable", 503, "The service cannot answer now"}
	kindOutcomeUnknown = kind{"outcome-unknown", 503, "Whether the write was done is not known"}
	kindTimeout        = kind{"timeout", 504, "The request took too long"}

	conflicts = map[brokerage.Reason]string{
		brokerage.OrderExists:     "The order exists",
		brokerage.CustomerExists:  "The customer exists",
		brokerage.AccountExists:   "The account exists",
		brokerage.LastAccount:     "The last account cannot be closed",
		brokerage.TooManyHoldings: "The account has the most holdings that are allowed",
		brokerage.NotHeld:         "The account does not hold the security",
		brokerage.TooFewHeld:      "The account holds less than that",
		brokerage.NotCovered:      "The balance does not cover the trade",
		brokerage.BalanceLimit:    "A balance would be out of bounds",
		brokerage.KeyInUse:        "The same request is still running",
	}
)

// problemOf is the table of errors and what a client is told of them: a kind,
// and a detail only where the error is one that is made for clients.
func problemOf(err error) (k kind, detail string, findings []brokerage.Finding) {
	if is[*brokerage.Damaged](err) {
		return kindDamaged, "", nil // whatever caused it: it is for the log
	}
	if conflict, ok := errors.AsType[*brokerage.Conflict](err); ok {
		return kind{string(conflict.Reason), http.StatusConflict, conflicts[conflict.Reason]}, conflict.Detail, nil
	}
	if invalid, ok := errors.AsType[*brokerage.Invalid](err); ok {
		return kindInvalid, invalid.Error(), invalid.Findings
	}
	if bad, ok := errors.AsType[*malformed](err); ok {
		return kindMalformed, bad.Error(), []brokerage.Finding{{Line: bad.found.Line, Column: bad.found.Column, Message: bad.found.Msg}}
	}
	if large, ok := errors.AsType[*oversized](err); ok {
		return kindTooLarge, large.Error(), []brokerage.Finding{{Line: large.found.Line, Column: large.found.Column, Message: large.found.Msg}}
	}
	if is[*unready](err) {
		return kindUnavailable, "", nil // whatever it was: it is for the log
	}
	if unavailable, ok := errors.AsType[*brokerage.Unavailable](err); ok {
		switch {
		case unavailable.Unknown:
			return kindOutcomeUnknown, "", nil
		case unavailable.Busy:
			return kindOverloaded, errOverloaded.Error(), nil
		}
		return kindUnavailable, "", nil
	}
	for _, row := range []struct {
		found error
		kind  kind
	}{
		{find[*brokerage.NotFound](err), kindNotFound},
		{find[*brokerage.Stale](err), kindStale},
		{find[*brokerage.KeyReused](err), kindKeyReused},
		{find[*wrongRequest](err), kindBadRequest},
		{find[*unauthorized](err), kindUnauthorized},
		{find[*forbidden](err), kindForbidden},
		{find[*spent](err), kindTooMany},
		{match(err, errPath), kindNotFound},
		{match(err, errNothingHere), kindNotFound},
		{match(err, errMethod), kindMethod},
		{match(err, errAcceptable), kindNotAcceptable},
		{match(err, errTooLarge), kindTooLarge},
		{match(err, errMediaType), kindMediaType},
		{match(err, errOverloaded), kindOverloaded},
		{match(err, errStopping), kindUnavailable},
		{match(err, errWatched), kindOverloaded},
	} {
		if row.found != nil {
			return row.kind, row.found.Error(), nil // and not what is wrapped around it
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return kindTimeout, "", nil
	}
	return kindInternal, "", nil
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// find gives the error of a type that is in another, or nil.
func find[E error](err error) error {
	if found, ok := errors.AsType[E](err); ok {
		return found
	}
	return nil
}

// match gives an error if it is in another.
func match(err, target error) error {
	if errors.Is(err, target) {
		return target
	}
	return nil
}

// problem answers with what an error is to a client.
func (q *request) problem(err error) {
	if q.Writer.Written() || errors.Is(err, errGone) || errors.Is(err, context.Canceled) && q.Request.Context().Err() != nil {
		q.Abort() // nobody is there, or it is too late to say anything
		if !q.Writer.Written() {
			q.Status(statusGone)
		}
		return
	}
	k, detail, findings := problemOf(err)
	h := q.Writer.Header()
	for _, name := range []string{"Etag", "Location", "Content-Encoding", "Content-Length"} {
		delete(h, name) // of the answer that did not come about
	}
	switch conflict, _ := errors.AsType[*brokerage.Conflict](err); {
	case k.status == http.StatusServiceUnavailable, conflict != nil && conflict.Reason == brokerage.KeyInUse:
		h["Retry-After"] = []string{"1"}
	case k == kindTooMany:
		s, _ := errors.AsType[*spent](err)
		h["Retry-After"] = []string{strconv.Itoa(s.seconds())}
	case k == kindUnauthorized:
		q.challenge(err)
	}
	p := problem{
		Type: "urn:brokerage:problem:" + k.name, Title: k.title, Status: k.status, Detail: detail,
		Instance: instance(q.Request.URL), RequestID: q.id, Findings: findings,
	}
	if q.op.name != unrouted {
		p.Transaction = q.op.name
	}
	body, mediaType := p.xml(), "application/problem+xml; charset=utf-8"
	if prefersJSON(q.Request.Header["Accept"]) {
		body, mediaType = p.json(), "application/problem+json"
	}
	h["Vary"] = []string{vary}
	_ = q.send(k.status, mediaType, body) // if the client is gone, so is the problem
}

// brackets are what a path may hold as it comes, and a URI may not.
var brackets = strings.NewReplacer("[", "%5B", "]", "%5D")

// instance is the path of a request as it came, unless that would name a host.
func instance(u *url.URL) string {
	path := brackets.Replace(u.EscapedPath())
	if strings.HasPrefix(path, "//") {
		return ""
	}
	return path
}

// statusGone is for the log: the client went away first.
const statusGone = 499

// challenge says how to ask (RFC 6750).
func (q *request) challenge(err error) {
	challenge := `Bearer error="invalid_token"`
	if u, _ := errors.AsType[*unauthorized](err); u.missing {
		challenge = "Bearer"
	}
	q.Writer.Header()["Www-Authenticate"] = []string{challenge}
}

func prefersJSON(accept []string) bool {
	all := strings.Join(accept, ",")
	return all != "" && max(quality(all, "application/problem+json"), quality(all, "application/json")) >
		max(quality(all, "application/problem+xml"), quality(all, "application/xml"), quality(all, "text/xml"))
}

// problem is a problem document (RFC 9457).
type problem struct {
	Type        string              `json:"type"`
	Title       string              `json:"title"`
	Status      int                 `json:"status"`
	Detail      string              `json:"detail,omitempty"`
	Instance    string              `json:"instance,omitempty"`
	Transaction string              `json:"transaction,omitempty"`
	RequestID   string              `json:"request_id"`
	Findings    []brokerage.Finding `json:"-"`
}

func (p *problem) xml() []byte {
	dst := append(make([]byte, 0, 1024), `<problem xmlns="urn:ietf:rfc:7807">`...)
	for _, f := range [...]struct{ name, value string }{
		{"type", p.Type}, {"title", p.Title}, {"status", strconv.Itoa(p.Status)}, {"detail", p.Detail}, {"instance", p.Instance},
		{"transaction", p.Transaction}, {"request_id", p.RequestID},
	} {
		if f.value != "" {
			dst = appendElement(dst, f.name, f.value)
		}
	}
	if len(p.Findings) > 0 {
		dst = append(dst, "<findings>"...)
		for _, f := range p.Findings {
			dst = append(dst, "<i>"...)
			if f.Line > 0 {
				dst = appendElement(dst, "line", strconv.Itoa(f.Line))
				dst = appendElement(dst, "column", strconv.Itoa(f.Column))
			}
			if f.Path != "" {
				dst = appendElement(dst, "path", f.Path)
			}
			dst = append(appendElement(dst, "message", f.Message), "</i>"...)
		}
		dst = append(dst, "</findings>"...)
	}
	return append(dst, "</problem>"...)
}

func appendElement(dst []byte, name, text string) []byte {
	dst = append(append(append(dst, '<'), name...), '>')
	dst = xmldoc.AppendText(dst, strings.Map(xmlCharacter, text))
	return append(append(append(dst, "</"...), name...), '>')
}

// xmlCharacter puts a replacement for what XML cannot hold: a path may be
// anything.
func xmlCharacter(r rune) rune {
	if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
		return '\uFFFD'
	}
	return r
}

func (p *problem) json() []byte {
	type finding struct {
		Line    int    `json:"line,omitempty"`
		Column  int    `json:"column,omitempty"`
		Path    string `json:"path,omitempty"`
		Message string `json:"message"`
	}
	list := make([]finding, len(p.Findings))
	for i, f := range p.Findings {
		list[i] = finding(f)
	}
	b, err := json.Marshal(struct {
		*problem

		Findings []finding `json:"findings,omitempty"`
	}{p, list})
	if err != nil {
		panic(err) // it is texts and numbers
	}
	return b
}

// outcome returns how a request ended: one of telemetry.Outcomes.
func outcome(status int, err error) string {
	switch {
	case status < 400:
		return telemetry.OK
	case is[*brokerage.Damaged](err):
		return telemetry.Damaged
	case status == http.StatusNotFound:
		return telemetry.NotFound
	case status == http.StatusConflict:
		return telemetry.Conflict
	case status == http.StatusUnprocessableEntity && is[*brokerage.Invalid](err):
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

// isBusy tells whether the store has as many requests of a kind as it takes.
func isBusy(err error) bool {
	unavailable, ok := errors.AsType[*brokerage.Unavailable](err)
	return ok && unavailable.Busy
}

// refusal returns why a request was not even begun, one of telemetry.Reasons, or nothing if it was begun.
func refusal(status int, err error) string {
	switch {
	case errors.Is(err, errQueueFull), isBusy(err):
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
