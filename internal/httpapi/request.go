package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
	"brokerage/internal/xmldoc"
)

// A request is the state of an HTTP request while it is served.
type request struct {
	*gin.Context

	server *Server
	store  tpox.Store // nil if the server has none yet
	op     *operation
	id     string
	ctx    context.Context //nolint:containedctx // with the deadline; it ends with the request
	client *access.Client
	query  url.Values // nil until parameter is called
	err    error
	token  tpox.Token // of the write; zero for none

	related  string // a link of this answer, besides those of the operation; empty for none
	received int    // bytes of the body
	traced   func(outcome string, status int) (traceID string)
	auditing auditing
}

// maxRequestID bounds the id that a client may give a request.
const maxRequestID = 64

func isVisible(s string) bool {
	for i := range len(s) {
		if s[i] < '!' || s[i] > '~' {
			return false
		}
	}
	return true
}

// pathValue returns a parameter of the path. gin would read a + in it as a space.
func (q *request) pathValue(name string) string {
	value := q.Param(name)
	if q.Request.URL.RawPath != "" {
		if plain, err := url.PathUnescape(value); err == nil {
			return plain
		}
	}
	return value
}

// isText reports whether XML can contain a text. A store holds no other texts.
func isText(s string) bool { return strings.Map(xmlCharacter, s) == s }

// byID returns a function that reads an id from the path.
func byID(what string) func(*request) (tpox.ID, error) {
	return func(q *request) (tpox.ID, error) { return q.key(what) }
}

// key returns an id in the path, or *NotFound for a text that is no id.
func (q *request) key(what string) (tpox.ID, error) {
	text := q.pathValue(what)
	if id, ok := tpox.ParseID(text); ok {
		return id, nil
	}
	return 0, &tpox.NotFound{What: what, Key: text}
}

// symbol returns the symbol in the path, or *NotFound if it is not a valid symbol.
func (q *request) symbol() (string, error) {
	text := q.pathValue("symbol")
	if !tpox.IsSymbol(text) || !isText(text) {
		return "", tpox.NoSecurity(text)
	}
	return text, nil
}

// parameter returns a query parameter, which may be given only once.
func (q *request) parameter(name string) (value string, given bool, err error) {
	if q.query == nil {
		if q.query, err = url.ParseQuery(q.Request.URL.RawQuery); err != nil {
			return "", false, badRequest("the query is not a list of name=value, joined by & and percent-encoded")
		}
	}
	switch values := q.query[name]; {
	case len(values) == 0:
		return "", false, nil
	case len(values) > 1:
		return "", true, badRequest("the parameter %s is given %d times", name, len(values))
	case !isText(values[0]):
		return "", true, badRequest("the parameter %s has a character that XML cannot contain, or is not UTF-8", name)
	default:
		return values[0], true, nil
	}
}

// required returns a parameter that must be given.
func (q *request) required(name string) (string, error) {
	value, given, err := q.parameter(name)
	if err == nil && (!given || value == "") {
		err = badRequest("the parameter %s is missing or empty", name)
	}
	return value, err
}

// validate returns the parameter of this name, by default true.
func (q *request) validate() (bool, error) { return q.flag("validate", "yes", "no", true) }

// flag returns true if a parameter equals yes, false if it equals no, and otherwise, if it is not given.
func (q *request) flag(name, yes, no string, otherwise bool) (bool, error) {
	switch value, given, err := q.parameter(name); {
	case err != nil || !given:
		return otherwise, err
	case value == yes:
		return true, nil
	case value == no:
		return false, nil
	default:
		return false, badRequest("the parameter %s is neither %s nor %s", name, yes, no)
	}
}

// body reads the body, within the limit of its size and the deadline, and returns it as a document in the normal form.
func (q *request) body() ([]byte, error) {
	if err := checkMediaType(q.Request.Header); err != nil {
		return nil, err
	}
	length, limit := q.Request.ContentLength, q.server.options.MaxBody
	if length > limit {
		return nil, errTooLarge
	}
	// The end of a context does not end a read from a connection.
	if deadline, ok := q.ctx.Deadline(); ok {
		// net/http resets the deadline at the end of the body. The call fails without a connection: then no read can block.
		_ = http.NewResponseController(q.Writer).SetReadDeadline(deadline)
	}
	raw := bytes.NewBuffer(make([]byte, 0, max(length, 0)+bytes.MinRead))
	n, err := raw.ReadFrom(http.MaxBytesReader(q.Writer, q.Request.Body, limit))
	q.received = int(n)
	ended := cmp.Or(q.ctx.Err(), q.Request.Context().Err())
	switch {
	case err == nil:
	case tpox.Is[*http.MaxBytesError](err):
		return nil, errTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, context.DeadlineExceeded
	case ended != nil:
		return nil, ended
	default:
		return nil, errBodyCut
	}

	doc, err := xmldoc.Admit(raw.Bytes(), xmldoc.Limits{Bytes: int(limit)})
	if n == 0 {
		err = &xmldoc.Error{Line: 1, Column: 1, Msg: "the body is empty"}
	}
	notXML, ok := errors.AsType[*xmldoc.Error](err)
	if !ok {
		return doc, err
	}
	r := &refused{kind: kindMalformed, detail: notXML.Msg, findings: []tpox.Finding{
		{Line: notXML.Line, Column: notXML.Column, Message: notXML.Msg},
	}}
	if notXML.Reason == xmldoc.TooLarge {
		r.kind, r.detail, r.cause = kindTooLarge, errTooLarge.detail, notXML
	}
	return nil, r
}

var errBodyCut = badRequest("the body is incomplete")

// checkMediaType accepts XML that is not compressed. It ignores a charset: the document declares its own.
func checkMediaType(h http.Header) error {
	for _, encoding := range h["Content-Encoding"] {
		if encoding != "" && !strings.EqualFold(encoding, "identity") {
			return errMediaType
		}
	}
	if len(h["Content-Type"]) != 1 {
		return errMediaType
	}
	text := h["Content-Type"][0]
	if text == "application/xml" || text == "text/xml" {
		return nil
	}
	if t, _, err := mime.ParseMediaType(text); err != nil || t != "application/xml" && t != "text/xml" {
		return errMediaType
	}
	return nil
}

// keepAnswers is how long an idempotency key is valid.
const keepAnswers = 24 * time.Hour

// plainWrite returns a write without an idempotency key.
func (q *request) plainWrite() tpox.Write {
	return tpox.Write{Now: q.server.now(), Token: &q.token}
}

// write returns the time and the idempotency key for a write of body. If a POST has an idempotency key, no other
// request of its client can use the key until the caller calls done.
func (q *request) write(body []byte) (w tpox.Write, done func(), err error) {
	w = q.plainWrite()
	keys := q.Request.Header["Idempotency-Key"]
	if len(keys) == 0 || q.op.method != http.MethodPost {
		return w, func() {}, nil
	}
	if key := keys[0]; len(keys) > 1 || len(key) < 1 || len(key) > 255 || !isVisible(key) {
		return w, nil, badRequest("the header Idempotency-Key must be one word of 1 to 255 visible ASCII characters")
	}
	h := sha256.New()
	_, _ = io.WriteString(h, q.Request.Method+"\n"+q.Request.URL.RequestURI()+"\n") // a hash never fails
	_, _ = h.Write(body)
	w.Once = &tpox.Once{Client: q.clientName(), Key: keys[0], Expires: w.Now.Add(keepAnswers)}
	h.Sum(w.Once.Hash[:0])
	inUse := [2]string{w.Once.Client, w.Once.Key}
	if _, running := q.server.keysInUse.LoadOrStore(inUse, nil); running {
		const detail = "a request with this idempotency key is still running"
		return w, nil, &tpox.Conflict{Reason: tpox.KeyInUse, Detail: detail}
	}
	return w, func() { q.server.keysInUse.Delete(inUse) }, nil
}

// match returns the condition of If-Match. A weak tag matches no version; * matches any.
func (q *request) match() (tpox.Match, error) {
	header := q.Request.Header["If-Match"]
	if len(header) == 0 {
		return nil, nil
	}
	tags, anything, err := etags(header)
	if err != nil || anything {
		return nil, err
	}
	match := tpox.Match{}
	for _, t := range tags {
		if !t.weak {
			match = append(match, t.version())
		}
	}
	return match, nil
}
