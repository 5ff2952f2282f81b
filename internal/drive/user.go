package drive

import (
	"context"
	"fmt"
	"sync"
	"time"

	"brokerage/internal/result"
	"brokerage/internal/workload"
)

// user carries out transactions, one after the other.
type user struct {
	*workload.User

	driver  *driver
	session session
	batch   *batch
	started int64 // arrivals in the measured time that were begun,
	late    int64 // of these, the ones begun late,
	queued  int64 // and arrivals that were never begun
	counts  bool  // the user's transaction is one of the run's Count
}

// batch is a number of records. A user passes it on when it is full, or when it has been open for batchOpen, so that
// reports are not late.
type batch struct {
	records []result.Record
	opened  int64
}

const (
	batchSize  = 256
	batchOpen  = int64(250 * time.Millisecond)
	batchQueue = 64
)

var batches = sync.Pool{New: func() any { return &batch{records: make([]result.Record, 0, batchSize)} }}

func newBatch(now int64) *batch {
	b, _ := batches.Get().(*batch)
	b.records, b.opened = b.records[:0], now
	return b
}

// work prepares after a time, and then carries out transactions until the run ends.
func (u *user) work(ctx context.Context, after time.Duration) {
	d := u.driver
	ready := u.pause(after) && u.prepare(ctx)
	d.unprepared.Done()
	if ready {
		u.transactions(ctx)
	}
}

// transactions carries out transactions until the run ends, and passes on their records.
func (u *user) transactions(ctx context.Context) {
	d := u.driver
	u.batch = newBatch(d.now())
	defer func() { d.records <- u.batch }()
	if d.arrivals == nil {
		think := d.plan.Think
		for u.take() && !d.over(u.step(ctx, 0)) && (think == Think{} || u.pause(think.draw(u.Rand()))) {
		}
		return
	}
	for due := range d.arrivals.due {
		if ctx.Err() != nil {
			u.leave(due)
			continue
		}
		u.step(ctx, due)
	}
}

// take takes one of the transactions of a Count. It returns false when none is left. Without a ramp it waits until the
// measured time begins, so that no transaction is left out of the Count.
func (u *user) take() bool {
	d := u.driver
	for d.plan.Count > 0 && d.plan.Ramp == 0 && d.now() < d.begin.Load() && !d.over(d.now()) {
		time.Sleep(time.Millisecond)
	}
	u.counts = d.plan.Count > 0 && d.now() >= d.begin.Load()
	return !u.counts || d.taken.Add(1) <= d.plan.Count
}

// pause returns false if the run ends before the time is over.
func (u *user) pause(long time.Duration) bool {
	// The pause is slept in slices because the run may end at any time. Waiting for a channel instead would cost time in
	// each transaction.
	for until := u.driver.now() + int64(long); ; {
		now := u.driver.now()
		if u.driver.over(now) || now >= until {
			return !u.driver.over(now)
		}
		time.Sleep(min(time.Duration(until-now), nap))
	}
}

// prepare inserts what the user may remove later. It returns false if the run ends before.
func (u *user) prepare(ctx context.Context) bool {
	own, began, wanted := result.Prepared{}, u.driver.now(), u.driver.plan.Definition.Prepare
	ok := u.insert(ctx, workload.InsertOrder, wanted.Orders, &own.Orders, &own) &&
		u.insert(ctx, workload.InsertCustomer, wanted.Customers, &own.Customers, &own)
	own.Seconds = time.Duration(u.driver.now() - began).Seconds()
	p := &u.driver.preparing
	p.Lock()
	defer p.Unlock()
	p.result = p.result.And(own)
	return ok
}

// mostUnanswered is how many inserts of a user in a row may have no answer while it prepares. Each takes answerWithin
// when the target is silent.
const mostUnanswered = 3

// insert makes a number of calls and counts them.
func (u *user) insert(ctx context.Context, t *workload.Transaction, calls int, done *int64, own *result.Prepared) bool {
	d := u.driver
	for unansweredInARow := 0; calls > 0; calls-- {
		if d.over(d.now()) || !u.draw(ctx, t) {
			return false
		}
		switch o := u.do(ctx); o.Class {
		case result.Good:
			u.Keep()
			*done++
			unansweredInARow = 0
			d.prepared.Add(1)
		case result.Abandoned:
			return false
		default:
			result.Count(&own.Unexpected, o.Reason, 1)
			if unansweredInARow++; o.Class != result.Unanswered {
				unansweredInARow = 0
			}
			if unansweredInARow == mostUnanswered {
				p := d.plan.Definition.Prepare
				d.die(fmt.Errorf("%d inserts in a row of one user had no answer (%s), after %d of %d documents were prepared",
					mostUnanswered, o.Reason, d.prepared.Load(), len(d.users)*(p.Orders+p.Customers)))
				return false
			}
			u.recover(ctx, o)
		}
	}
	return true
}

// step carries out a transaction and returns the time after it. due is the time at which the transaction was due in the
// open model; in the closed model it is 0.
func (u *user) step(ctx context.Context, due int64) int64 {
	d := u.driver
	mix := u.Mix()
	part := u.Choose()
	for !u.draw(ctx, mix[part].Transaction) {
		now := d.now()
		if d.over(now) && due == 0 || ctx.Err() != nil {
			u.leave(due)
			return now
		}
		u.record(result.Record{Transaction: part, Outcome: result.Outcome{Class: result.Empty}}, now, now, due)
		part = u.Choose()
	}
	began := d.now()
	o := u.do(ctx)
	now := d.now()
	if o.Class == result.Good {
		u.Keep()
	}
	from := began
	if due != 0 {
		from = due
		if due >= d.begin.Load() {
			u.started++
			if began-due > int64(time.Millisecond) {
				u.late++
			}
		}
	}
	u.record(result.Record{Took: time.Duration(now - from), Transaction: part, Outcome: o}, began, now, due)
	if u.counts {
		d.finishOne(now)
	}
	u.recover(ctx, o)
	return now
}

// do makes the call. One that the end of the run cuts off is abandoned, which says nothing about the target.
func (u *user) do(ctx context.Context) result.Outcome {
	began := u.driver.now()
	o := u.call(ctx)
	u.driver.see(began, o)
	if u.Call.OfNewDocument() && o.Reason == result.NotFound {
		o.Class = result.Expected // another user has deleted it meanwhile
	}
	if o.Class == result.Unanswered && ctx.Err() != nil {
		return result.Outcome{Class: result.Abandoned}
	}
	return o
}

// leave counts an arrival that will not be begun.
func (u *user) leave(due int64) {
	if due >= u.driver.begin.Load() {
		u.queued++
	}
}

// record passes on a record if it counts: in the open model, if it was due in the measured time; in the closed model,
// if it is one of a Count, or else if it began before the end of the measured time and ended after its start.
func (u *user) record(r result.Record, began, now, due int64) {
	d := u.driver
	begin, end := d.begin.Load(), d.end.Load()
	r.Waiting = now >= end
	counts := due >= begin
	if due == 0 {
		counts = u.counts || d.plan.Count == 0 && now >= begin && began < end
		if r.Waiting { // a closed model has only the times of what ended in the measured time
			r.Outcome = result.Outcome{Class: result.Abandoned}
		}
	}
	if counts {
		r.At = time.Duration(now - begin)
		u.batch.records = append(u.batch.records, r)
	}
	if len(u.batch.records) == batchSize || now-u.batch.opened > batchOpen {
		d.records <- u.batch
		u.batch = newBatch(now)
	}
}

// draw fills the user's call. It returns false when there is nothing to call, and ends the run when no ids can be
// leased.
func (u *user) draw(ctx context.Context, t *workload.Transaction) bool {
	ok, err := u.Draw(ctx, t, u.driver.target.lease)
	if err != nil {
		u.driver.die(err)
	}
	return ok
}

// recover waits for a target that has not answered, and ends the run if it does not come back.
func (u *user) recover(ctx context.Context, o result.Outcome) {
	if o.Class != result.Unanswered || u.driver.over(u.driver.now()) {
		return
	}
	err := u.session.recover(ctx)
	for err != nil && u.driver.broken.mayComeBack(u.driver.now()) && !u.driver.over(u.driver.now()) {
		err = u.session.recover(ctx)
	}
	if err != nil && ctx.Err() == nil {
		u.driver.die(err)
	}
}
