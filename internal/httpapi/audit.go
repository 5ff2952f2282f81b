package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"brokerage/internal/audit"
	"brokerage/internal/brokerage"
)

// Audit is told of each write before it is answered.
type Audit interface {
	// Ready tells whether a write may be done: whether it would be recorded.
	Ready() error
	Record(audit.Record)
}

// auditing is what a request knows about its own record.
type auditing struct {
	wanted bool              // it got as far as being done, or somebody was told that they may not
	done   bool              // it has been recorded
	noted  map[string]string // ids that the path does not name
}

// audits tells whether a request is a write that is to be recorded.
func (q *request) audits() bool {
	return q.server.options.Audit != nil && q.op.method != http.MethodGet
}

// mayWrite refuses a write that could not be recorded.
func (q *request) mayWrite() error {
	if !q.audits() {
		return nil
	}
	if err := q.server.options.Audit.Ready(); err != nil {
		return &brokerage.Unavailable{Cause: fmt.Errorf("%w: %w", errAudit, err)}
	}
	q.auditing.wanted = true
	return nil
}

// note names something for the record that the path does not.
func (q *request) note(name, id string) {
	if q.auditing.noted == nil {
		q.auditing.noted = make(map[string]string)
	}
	q.auditing.noted[name] = id
}

// made notes what was created, by its location: /v1/orders/7.
func (q *request) made(location string) {
	if part := strings.Split(location, "/"); len(part) == 4 {
		q.note(strings.TrimSuffix(part[2], "s"), part[3])
	}
}

// maxNoted bounds what a record repeats of a path: an id and a symbol are shorter.
const maxNoted = 64

// record writes down what becomes of a write, before its answer leaves.
func (q *request) record(status int) {
	if !q.auditing.wanted || q.auditing.done {
		return
	}
	q.auditing.done = true
	for _, p := range q.Params {
		id := q.pathValue(p.Key)
		q.note(p.Key, id[:min(len(id), maxNoted)])
	}
	r := audit.Record{
		Time: q.server.now().UTC(), Client: q.clientName(), Address: addressOf(q.Request), Transaction: q.op.name,
		IDs: q.auditing.noted, Outcome: "ok", Status: status, RequestID: q.id,
	}
	if key := q.Request.Header.Get("Idempotency-Key"); len(key) <= 255 && isVisible(key) {
		r.Key = key
	}
	switch {
	case errors.Is(q.err, context.Canceled), errors.Is(q.err, errGone):
		r.Outcome = "outcome-unknown" // nobody waited for it
	case q.err != nil:
		k, _, _ := problemOf(q.err)
		r.Outcome = k.name
	}
	q.server.options.Audit.Record(r)
}
