package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"brokerage/internal/tpox"
	"brokerage/internal/xmldoc"
)

// problemKind is a type of problems: one of x-problems of the contract.
type problemKind struct {
	name   string
	status int
	title  string
}

var (
	kindBadRequest     = problemKind{"bad-request", 400, "The request does not follow the contract"}
	kindBadCursor      = problemKind{"bad-cursor", 400, "The cursor does not belong to this search"}
	kindMalformed      = problemKind{"malformed", 400, "The body is not well-formed XML, or not accepted"}
	kindUnauthorized   = problemKind{"unauthorized", 401, "A valid token is needed"}
	kindForbidden      = problemKind{"forbidden", 403, "The token lacks the required scope"}
	kindCrossOrigin    = problemKind{"cross-origin", 403, "A page of another origin cannot write"}
	kindNotFound       = problemKind{"not-found", 404, "Not found"}
	kindMethod         = problemKind{"method-not-allowed", 405, "The method is not allowed here"}
	kindNotAcceptable  = problemKind{"not-acceptable", 406, "The answer is not available in an accepted media type"}
	kindStale          = problemKind{"stale", 412, "The document has another version"}
	kindTooLarge       = problemKind{"too-large", 413, "The body is too large"}
	kindMediaType      = problemKind{"unsupported-media-type", 415, "The media type of the body is not accepted"}
	kindMisdirected    = problemKind{"misdirected", 421, "The service does not answer for that host"}
	kindInvalid        = problemKind{"invalid", 422, "The document is not valid"}
	kindKeyReused      = problemKind{"key-reused", 422, "The idempotency key was used for another request"}
	kindTooMany        = problemKind{"too-many-requests", 429, "Too many requests"}
	kindInternal       = problemKind{"internal", 500, "The service failed"}
	kindDamaged        = problemKind{"damaged", 500, "Stored data is damaged"}
	kindOverloaded     = problemKind{"overloaded", 503, "The service is at its limit"}
	kindUnavailable    = problemKind{"unavailable", 503, "The service cannot answer now"}
	kindOutcomeUnknown = problemKind{"outcome-unknown", 503, "It is not known whether the write was done"}
	kindTimeout        = problemKind{"timeout", 504, "The request took too long"}

	conflicts = map[tpox.Reason]string{
		tpox.OrderExists:     "The order exists",
		tpox.CustomerExists:  "The customer exists",
		tpox.AccountExists:   "The account exists",
		tpox.LastAccount:     "The last account cannot be closed",
		tpox.TooManyHoldings: "The account has the maximum number of holdings",
		tpox.NotHeld:         "The account does not hold the security",
		tpox.TooFewHeld:      "The account holds too little of the security",
		tpox.NotCovered:      "The balance does not cover the trade",
		tpox.BalanceLimit:    "A balance would exceed the limit",
		tpox.CustomerLimit:   "The customer would be too large",
		tpox.IDsExhausted:    "Too few ids are left",
		tpox.KeyInUse:        "A request with this idempotency key is still running",
	}
)

// A refused is an error of HTTP, not of the domain, with the problem that it becomes.
type refused struct {
	kind      problemKind
	detail    string // for clients
	findings  []tpox.Finding
	cause     error  // for the log; may be nil
	challenge string // the header WWW-Authenticate of a 401 (RFC 6750)
	wait      int    // seconds, for the header Retry-After of a 429
}

func (e *refused) Error() string {
	if e.cause != nil {
		return e.cause.Error()
	}
	return e.detail
}

func badRequest(format string, args ...any) error {
	return &refused{kind: kindBadRequest, detail: fmt.Sprintf(format, args...)}
}

const noToken = "a valid bearer token is needed"

var (
	errPath      = &refused{kind: kindNotFound, detail: "there is no such path"}
	errNoDataset = &refused{kind: kindNotFound, detail: "no dataset has been loaded"}
	errCursor    = &refused{kind: kindBadCursor, detail: "the cursor does not belong to this search"}
	errNoToken   = &refused{kind: kindUnauthorized, detail: noToken, challenge: "Bearer"}
	errToken     = &refused{kind: kindUnauthorized, detail: noToken, challenge: `Bearer error="invalid_token"`}
	errMethod    = &refused{kind: kindMethod,
		detail: "the method is not allowed for this path; the header Allow lists the allowed methods"}
	errAcceptable = &refused{kind: kindNotAcceptable,
		detail: "the answer is available only as application/xml or text/xml"}
	errMediaType = &refused{kind: kindMediaType,
		detail: "the body must be application/xml or text/xml, without a Content-Encoding"}
	errTooLarge    = &refused{kind: kindTooLarge, detail: "the body exceeds the limit"}
	errOverloaded  = &refused{kind: kindOverloaded, detail: "the limit of concurrent requests is reached"}
	errQueueFull   = fmt.Errorf("%w: the queue is full", errOverloaded)
	errQueueWait   = fmt.Errorf("%w: the request waited too long", errOverloaded)
	errManyStreams = &refused{kind: kindOverloaded, detail: "the limit of live streams is reached"}
	errStopping    = &refused{kind: kindUnavailable, detail: "the service is stopping"}
	errNotOpen     = &refused{kind: kindUnavailable, detail: "the database is not open yet"}
	errAudit       = errors.New("the audit log cannot be written")
)

// problemOf returns the problem for an operation's error. It has a detail only if the error's text is meant for
// clients; the detail omits the text of wrapping errors. An error that no store declares, such as a driver's, is a
// fault of the store: the service cannot answer, and the outcome of a write is unknown unless the error is *RolledBack.
func problemOf(op *operation, err error) *refused {
	if r, ok := errors.AsType[*refused](err); ok {
		return r
	}
	if tpox.Is[*tpox.Damaged](err) { // before the types below, because its cause may have any of them
		return &refused{kind: kindDamaged}
	}
	if conflict, ok := errors.AsType[*tpox.Conflict](err); ok {
		k := problemKind{string(conflict.Reason), http.StatusConflict, conflicts[conflict.Reason]}
		return &refused{kind: k, detail: conflict.Detail}
	}
	if invalid, ok := errors.AsType[*tpox.Invalid](err); ok {
		return &refused{kind: kindInvalid, detail: invalid.Error(), findings: invalid.Findings}
	}
	if unavailable, ok := errors.AsType[*tpox.Unavailable](err); ok { // before the types below, which its cause may have
		if unavailable.Unknown {
			return &refused{kind: kindOutcomeUnknown}
		}
		return &refused{kind: kindUnavailable}
	}
	if missing, ok := errors.AsType[*tpox.NotFound](err); ok {
		return &refused{kind: kindNotFound, detail: missing.Error()}
	}
	if stale, ok := errors.AsType[*tpox.Stale](err); ok {
		return &refused{kind: kindStale, detail: stale.Error()}
	}
	if reused, ok := errors.AsType[*tpox.KeyReused](err); ok {
		return &refused{kind: kindKeyReused, detail: reused.Error()}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &refused{kind: kindTimeout}
	}
	if op.writes() && !tpox.Is[*tpox.RolledBack](err) {
		return &refused{kind: kindOutcomeUnknown}
	}
	return &refused{kind: kindUnavailable}
}

// problem answers with the problem that an error becomes.
func (q *request) problem(err error) {
	gone := errors.Is(err, errGone) || errors.Is(err, context.Canceled) && q.Request.Context().Err() != nil
	if gone || q.Writer.Written() {
		q.Abort()
		if !q.Writer.Written() {
			q.Status(statusGone)
		}
		return
	}
	r := problemOf(q.op, err)
	h := q.Writer.Header()
	for _, name := range []string{"Etag", "Location", "Content-Encoding", "Content-Length"} {
		delete(h, name) // of the answer that failed
	}
	h["Content-Security-Policy"] = sandboxed // a page may have set its own before it failed
	if r.kind.status == http.StatusServiceUnavailable || r.kind.name == string(tpox.KeyInUse) {
		h["Retry-After"] = []string{"1"}
	}
	if r.wait > 0 {
		h["Retry-After"] = []string{strconv.Itoa(r.wait)}
	}
	if r.challenge != "" {
		h["Www-Authenticate"] = []string{r.challenge}
	}
	p := problem{
		Type: "urn:brokerage:problem:" + r.kind.name, Title: r.kind.title, Status: r.kind.status, Detail: r.detail,
		Instance: brackets.Replace(q.Request.URL.EscapedPath()), RequestID: q.id,
	}
	if strings.HasPrefix(p.Instance, "//") { // a client would read the first part of the path as a host
		p.Instance = ""
	}
	for _, f := range r.findings {
		p.Findings = append(p.Findings, finding(f))
	}
	if q.op.name != unrouted {
		p.Transaction = q.op.name
	}
	body, mediaType := p.xml(), "application/problem+xml; charset=utf-8"
	if prefersJSON(q.Request.Header["Accept"]) {
		var err error
		if body, err = json.Marshal(p); err != nil {
			panic(err) // texts and numbers always marshal
		}
		mediaType = "application/problem+json"
	}
	h["Vary"] = []string{vary}
	_ = q.send(r.kind.status, mediaType, body) // only fails when the client is gone
}

// brackets escapes characters that a request's path may contain and a URI may not.
var brackets = strings.NewReplacer("[", "%5B", "]", "%5D")

// statusGone is logged when the client closed the connection before the answer.
const statusGone = 499

// problem is a problem document (RFC 9457).
type problem struct {
	Type        string    `json:"type"`
	Title       string    `json:"title"`
	Status      int       `json:"status"`
	Detail      string    `json:"detail,omitempty"`
	Instance    string    `json:"instance,omitempty"`
	Transaction string    `json:"transaction,omitempty"`
	RequestID   string    `json:"request_id"`
	Findings    []finding `json:"findings,omitempty"`
}

// finding is a tpox.Finding with the names of the contract.
type finding struct {
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
}

func (p *problem) xml() []byte {
	dst := append(make([]byte, 0, 1024), `<problem xmlns="urn:ietf:rfc:7807">`...)
	for _, f := range [...]struct{ name, value string }{
		{"type", p.Type}, {"title", p.Title}, {"status", strconv.Itoa(p.Status)}, {"detail", p.Detail},
		{"instance", p.Instance}, {"transaction", p.Transaction}, {"request_id", p.RequestID},
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
	return xmldoc.AppendElement(dst, name, strings.Map(xmlCharacter, text))
}

// xmlCharacter replaces characters that XML cannot contain.
func xmlCharacter(r rune) rune {
	if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
		return '\uFFFD'
	}
	return r
}
