package workload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// Call is one call of a transaction, in the same form for every backend. A user reuses its call for the next one.
type Call struct {
	Transaction *Transaction
	ID          tpox.ID // of the order or customer; of the account in a trade
	Account     tpox.ID // that is opened or closed; of a new order; the first of a new customer
	Symbol      string
	Quantity    int64
	Cents       int64 // price
	Status      string
	Answer      []byte // with a document, until the next call

	search   tpox.Search
	doc      []byte
	at       time.Time // the time that doc states
	isNew    bool      // ID is of a document that was inserted, and that all users draw
	validate bool
	anyKey   bool           // the target answers every request with the same documents
	key      []byte         // a buffer
	values   map[*Value]any // of own transactions
}

var (
	// WrongAnswer is the outcome of a call whose answer does not belong to it.
	WrongAnswer = result.Outcome{Class: result.Unexpected, Reason: "wrong-answer"}
	// Unanswered is the outcome of a call that got no answer, TimedOut of one that got none within its timeout.
	Unanswered = result.Outcome{Class: result.Unanswered, Reason: result.NoAnswer}
	TimedOut   = result.Outcome{Class: result.Unanswered, Reason: result.Timeout}
)

// Method returns the method of the call's HTTP request.
func (c *Call) Method() string { return c.Transaction.request.method }

// AppendPath appends the path and the parameters of the request.
func (c *Call) AppendPath(dst []byte) []byte { return c.fill(dst, c.Transaction.request.path) }

// AppendReplacePath appends the path and parameters of the PUT with which a transaction replaces what it has read.
func (c *Call) AppendReplacePath(dst []byte) []byte { return c.fill(c.AppendPath(dst), "{validation}") }

// AppendBody appends the body of the request, which may be empty.
func (c *Call) AppendBody(dst []byte) []byte { return c.fill(dst, c.Transaction.request.body) }

// OfNewDocument reports whether the call is for a document that a user has inserted, and may have deleted meanwhile.
func (c *Call) OfNewDocument() bool { return c.isNew }

// Execute makes the call on a store, as the service's handlers do.
func (c *Call) Execute(ctx context.Context, s tpox.Store) result.Outcome {
	answer, err := c.Transaction.execute(ctx, s, c)
	switch {
	case err != nil:
		return c.failed(err)
	case c.Transaction.Answer == "":
		return result.Done
	}
	return c.check(answer)
}

// failed returns the outcome of a store's error; if the store is unavailable, the call counts as unanswered.
func (c *Call) failed(err error) result.Outcome {
	if conflict, ok := errors.AsType[*tpox.Conflict](err); ok {
		return c.refused(conflict.Reason)
	}
	c.doc = nil // a store that timed out may still be reading the document
	unexpected := func(reason string) result.Outcome { return result.Outcome{Class: result.Unexpected, Reason: reason} }
	switch {
	case tpox.Is[*tpox.Stale](err):
		return c.refused(result.Stale)
	case tpox.Is[*tpox.NotFound](err):
		return unexpected(result.NotFound)
	case tpox.Is[*tpox.Invalid](err):
		return unexpected("422 invalid")
	case errors.Is(err, context.DeadlineExceeded):
		return TimedOut
	case errors.Is(err, context.Canceled):
		return Unanswered
	case tpox.Is[*tpox.Damaged](err):
		return unexpected("500 damaged")
	default: // *tpox.Unavailable, or a fault of the store
		return result.Outcome{Class: result.Unanswered, Reason: "503 unavailable"}
	}
}

// refused returns the outcome of a call that was refused for a reason that depends on stored data.
func (c *Call) refused(reason tpox.Reason) result.Outcome {
	if slices.Contains(c.Transaction.Expected, reason) {
		return result.Outcome{Class: result.Expected, Reason: string(reason)}
	}
	return result.Outcome{Class: result.Unexpected, Reason: string(reason)}
}

// Judge returns the outcome of a call that got an HTTP response.
func (c *Call) Judge(status int, location string, body []byte) result.Outcome {
	t := c.Transaction
	switch status {
	case http.StatusOK:
		if t.Answer != "" {
			return c.check(body)
		}
	case http.StatusCreated:
		c.key = c.fill(c.key[:0], t.location)
		if t.location != "" && strings.HasSuffix(location, string(c.key)) {
			return result.Done
		}
	case http.StatusNoContent:
		if t.location == "" && (t.Answer == "" || t.Replaces) {
			return result.Done
		}
	default:
		_, problem, _ := bytes.Cut(body, []byte("<type>urn:brokerage:problem:"))
		name, _, _ := bytes.Cut(problem, []byte("<"))
		if (status == http.StatusConflict || status == http.StatusPreconditionFailed) && len(name) > 0 {
			return c.refused(tpox.Reason(name))
		}
		return result.Outcome{Class: result.Unexpected, Reason: strings.TrimSpace(fmt.Sprintf("%d %s", status, name))}
	}
	return WrongAnswer
}

// keyWithin is the number of bytes at the beginning of an answer that contain its key: in the attributes of the root,
// after the namespace declarations, or in the first element.
const keyWithin = 512

// check returns the outcome of a call that got a document, by whether the document belongs to the request. It reads
// only its beginning, because a load generator that reads everything measures mostly itself.
func (c *Call) check(answer []byte) result.Outcome {
	c.Answer = answer
	c.key = c.fill(c.key[:0], c.Transaction.key)
	if rootName(answer) != c.Transaction.Answer ||
		!c.anyKey && !bytes.Contains(answer[:min(len(answer), keyWithin)], c.key) {
		return WrongAnswer
	}
	return result.Done
}

// rootName returns the name of the root element without its prefix, "" for what is no element.
func rootName(doc []byte) string {
	if bytes.HasPrefix(doc, []byte("<?")) {
		_, doc, _ = bytes.Cut(doc, []byte("?>"))
	}
	tag, ok := bytes.CutPrefix(bytes.TrimLeft(doc, "\r\n\t "), []byte("<"))
	end := bytes.IndexAny(tag, " >/\t\r\n")
	if !ok || end < 0 {
		return ""
	}
	return string(tag[bytes.IndexByte(tag[:end], ':')+1 : end])
}
