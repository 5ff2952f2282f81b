package workload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// Call is one call of a transaction, in the same form for every backend. A user reuses its call for the next one.
type Call struct {
	Transaction *Transaction
	ID          tpox.ID // of the order or customer; of the account in a trade
	Account     tpox.ID // that is opened or closed; of a new order; the first of a new customer
	Symbol      string
	search      searchCall
	Quantity    int64
	Cents       int64 // price
	Status      string
	doc         []byte
	today       string // when doc was made
	second      int    // of today
	validate    bool
	Answer      []byte   // with a document, until the next call
	isNew       bool     // id is of a document that was inserted, and that all users draw
	values      [][]byte // of own transactions, by Value.index
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
func (c *Call) AppendPath(dst []byte) []byte { return c.Transaction.request.path.fill(dst, c) }

// AppendReplacePath appends those of the PUT that follows in a transaction that replaces what it has read.
func (c *Call) AppendReplacePath(dst []byte) []byte { return gaps["validation"](c.AppendPath(dst), c) }

// AppendBody appends the body of the request, which may be empty.
func (c *Call) AppendBody(dst []byte) []byte { return c.Transaction.request.body.fill(dst, c) }

// OfNewDocument reports whether the call is for a document that a user has inserted, and may have deleted meanwhile.
func (c *Call) OfNewDocument() bool { return c.isNew }

// Execute makes the call on a store, as the service's handlers do.
func (c *Call) Execute(ctx context.Context, s tpox.Store, check *Checker) result.Outcome {
	answer, err := c.Transaction.execute(ctx, s, c)
	switch {
	case err != nil:
		return c.refused(err)
	case c.Transaction.Answer == "":
		return result.Done
	}
	return check.Check(c, answer)
}

// refused returns the outcome that the service's response to an error would have.
func (c *Call) refused(err error) result.Outcome {
	unexpected := func(reason string) result.Outcome { return result.Outcome{Class: result.Unexpected, Reason: reason} }
	if refusal, ok := errors.AsType[*tpox.Conflict](err); ok {
		return c.Transaction.refused(refusal.Reason)
	}
	c.doc = nil // a store that timed out may still be reading the document
	switch {
	case tpox.Is[*tpox.Stale](err):
		return c.Transaction.refused(result.Stale)
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

// keyWithin is the number of bytes at the beginning of an answer that contain its key: in the attributes of the root,
// after the namespace declarations, or in the first element.
const keyWithin = 512

// Checker checks that an answer belongs to the request. It reads only a small part of the answer: a load generator that
// reads everything measures mostly itself.
type Checker struct {
	Keys bool // check the key; false for a target whose answers are always the same
	key  []byte
}

// Check returns the outcome of a call that got an answer with a document.
func (k *Checker) Check(c *Call, answer []byte) result.Outcome {
	t := c.Transaction
	c.Answer = answer
	if t.Answer != "" && string(rootName(answer)) != t.Answer {
		return WrongAnswer
	}
	if k.Keys && t.key != nil {
		k.key = t.key.fill(k.key[:0], c)
		if !bytes.Contains(answer[:min(len(answer), keyWithin)], k.key) {
			return WrongAnswer
		}
	}
	return result.Done
}

// Answer returns the outcome of a call that got an HTTP response.
func (k *Checker) Answer(c *Call, status int, location string, body []byte) result.Outcome {
	t := c.Transaction
	switch {
	case status == http.StatusOK && t.Answer != "":
		return k.Check(c, body)
	case status == http.StatusCreated && t.location != nil:
		k.key = t.location.fill(k.key[:0], c)
		if strings.HasSuffix(location, string(k.key)) {
			return result.Done
		}
	case status == http.StatusNoContent && t.location == nil && (t.Answer == "" || t.Replaces):
		return result.Done
	case status != http.StatusOK && status != http.StatusCreated && status != http.StatusNoContent:
		return t.problem(status, body)
	}
	return WrongAnswer
}

// problem returns the outcome of a problem document.
func (t *Transaction) problem(status int, body []byte) result.Outcome {
	_, rest, _ := bytes.Cut(body, []byte("<type>urn:brokerage:problem:"))
	name, _, _ := bytes.Cut(rest, []byte("<"))
	switch {
	case status == http.StatusPreconditionFailed:
		return t.refused(result.Stale)
	case status == http.StatusConflict && len(name) > 0:
		return t.refused(tpox.Reason(name))
	default:
		return result.Outcome{Class: result.Unexpected, Reason: strings.TrimSpace(fmt.Sprintf("%d %s", status, name))}
	}
}

// rootName returns the name of the root element without its prefix.
func rootName(doc []byte) []byte {
	if bytes.HasPrefix(doc, []byte("<?")) {
		_, doc, _ = bytes.Cut(doc, []byte("?>"))
		doc = bytes.TrimLeft(doc, "\r\n\t ")
	}
	if len(doc) == 0 || doc[0] != '<' {
		return nil
	}
	from := 1
	for i := 1; i < len(doc); i++ {
		switch doc[i] {
		case ':':
			from = i + 1
		case ' ', '>', '/', '\t', '\n', '\r':
			return doc[from:i]
		}
	}
	return nil
}
