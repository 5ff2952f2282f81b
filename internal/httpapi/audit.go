package httpapi

import (
	"context"
	"errors"

	"brokerage/internal/audit"
	"brokerage/internal/telemetry"
)

// Audit records each write before it is answered.
type Audit interface {
	// Ready returns an error if a write could not be recorded now.
	Ready() error
	Record(audit.Record)
}

// auditing is the state of a request's audit record.
type auditing struct {
	wanted bool              // a record must be written: the request has begun, or was refused for lack of the scope
	done   bool              // the record is written
	noted  map[string]string // ids, and parameters of a lease, by name
}

// audits reports whether an audit log is kept and the request is a write.
func (q *request) audits() bool {
	return q.server.options.Audit != nil && q.op.writes()
}

// note adds an id, or a parameter of a lease, to the record.
func (q *request) note(name, id string) {
	if q.auditing.noted == nil {
		q.auditing.noted = make(map[string]string)
	}
	q.auditing.noted[name] = id
}

// maxNotedBytes limits the length of an id in a record: valid ids and symbols are shorter.
const maxNotedBytes = 64

// record writes the audit record, before the answer is sent.
func (q *request) record(status int) {
	if !q.auditing.wanted || q.auditing.done {
		return
	}
	q.auditing.done = true
	for _, p := range q.Params {
		id := q.pathValue(p.Key)
		q.note(p.Key, id[:min(len(id), maxNotedBytes)])
	}
	r := audit.Record{
		Time: q.server.now().UTC(), Client: q.clientName(), Address: addressOf(q.Request), Transaction: q.op.name,
		IDs: q.auditing.noted, Outcome: telemetry.OK, Status: status, RequestID: q.id,
	}
	if key := q.Request.Header.Get("Idempotency-Key"); len(key) <= 255 && isVisible(key) {
		r.Key = key
	}
	switch {
	case errors.Is(q.err, context.Canceled), errors.Is(q.err, errGone):
		r.Outcome = kindOutcomeUnknown.name // the client did not wait for it
	case q.err != nil:
		r.Outcome = problemOf(q.op, q.err).kind.name
	}
	q.server.options.Audit.Record(r)
}
