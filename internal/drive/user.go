package drive

import (
	"context"
	"errors"
	"time"

	"brokerage/internal/result"
	"brokerage/internal/workload"
)

// user carries out transactions, one after the other.
type user struct {
	*workload.User

	crew    *Crew
	number  int // among all users of the load
	session session
	records []result.Record // that are not counted yet
	counted int64           // when records were counted last
	late    int64           // arrivals in the measured time that were begun late,
	queued  int64           // and arrivals that were never begun
	silent  int             // inserts in a row without an answer, before the load
}

// Records are counted when there are countEach, or after countWithin, so that reports are not late.
const (
	countEach   = 256
	countWithin = int64(250 * time.Millisecond)
)

// work carries out transactions of the closed model until the end. Users begin one after the other during the ramp.
func (u *user) work(ctx context.Context) {
	c := u.crew
	defer u.count(c.now())
	after := c.plan.Ramp * time.Duration(u.number) / time.Duration(c.plan.Users)
	for next := c.begin - int64(c.plan.Ramp) + int64(after); c.sleepUntil(next); {
		now, more := u.step(ctx, 0)
		if !more {
			return
		}
		next = now + int64(c.plan.Think.draw(u.Rand()))
	}
}

// serve carries out due transactions of the open model. Those still queued c.patience after the end are only counted.
func (u *user) serve(ctx context.Context) {
	c := u.crew
	defer u.count(c.now())
	for due := range c.arrivals.due {
		if ctx.Err() != nil || c.over(c.now()-int64(c.patience)) {
			u.leave(due)
		} else {
			u.step(ctx, due)
		}
	}
}

// step carries out a transaction and returns the time after it. due is the time at which the transaction was due in the
// open model; in the closed model it is 0. more is false when all transactions of a Count have begun.
func (u *user) step(ctx context.Context, due int64) (now int64, more bool) {
	c, part := u.crew, u.Choose()
	for !u.draw(ctx, c.Mix()[part].Transaction) {
		now = c.now()
		if c.over(now) && due == 0 || ctx.Err() != nil {
			u.leave(due)
			return now, true
		}
		u.record(result.Record{Transaction: part, Outcome: result.Outcome{Class: result.Empty}}, now, now, due)
		part = u.Choose()
	}
	began := c.now()
	ofCount := due == 0 && c.plan.Count > 0 && began >= c.begin
	if ofCount && c.taken.Add(1) > c.plan.Count {
		return began, false
	}
	o := u.do(ctx)
	now = c.now()
	if o.Class == result.Good {
		u.Keep()
	}
	from := began
	if due != 0 {
		from = due
		if due >= c.begin && began-due > int64(time.Millisecond) {
			u.late++
		}
	}
	u.record(result.Record{Took: time.Duration(now - from), Transaction: part, Outcome: o}, began, now, due)
	if ofCount && c.finished.Add(1) == c.plan.Count {
		c.endAt(now + 1)
	}
	if o.Class == result.Unanswered {
		u.recover(ctx)
	}
	return now, true
}

// draw fills the user's call. It returns false when there is nothing to call, and ends the run when no ids can be
// leased.
func (u *user) draw(ctx context.Context, t *workload.Transaction) bool {
	ok, err := u.Draw(ctx, t, u.crew.target.lease)
	if err != nil {
		u.crew.die(err)
	}
	return ok
}

// do makes the call. One that an interruption cuts off is abandoned, which says nothing about the target.
func (u *user) do(ctx context.Context) result.Outcome {
	bounded, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	began := u.crew.now()
	o := u.call(bounded)
	u.crew.see(began, o)
	if u.Call.OfNewDocument() && o.Reason == result.NotFound {
		o.Class = result.Expected // another user has deleted it meanwhile
	}
	if o.Class == result.Unanswered && ctx.Err() != nil {
		return result.Outcome{Class: result.Abandoned}
	}
	return o
}

// recover waits for a target that has not answered, which may be restarting or failing over. It ends the run if the
// target does not come back within two seconds, or longer after a Break: see mayComeBack.
func (u *user) recover(ctx context.Context) {
	c := u.crew
	for since := c.now(); !c.over(c.now()); time.Sleep(100 * time.Millisecond) {
		err := u.session.ping(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		if now := c.now(); now > since+int64(2*time.Second) && !c.mayComeBack(now) {
			c.die(err)
		}
	}
}

// record keeps a record if it counts: in the open model, if it was due in the measured time; in the closed model, if it
// was in progress at some moment of the measured time or, with a Count, if it began in that time.
func (u *user) record(r result.Record, began, now, due int64) {
	c := u.crew
	r.Waiting = c.over(now)
	counts := due >= c.begin
	if due == 0 {
		counts = now >= c.begin && !c.over(began) && (c.plan.Count == 0 || began >= c.begin)
		if r.Waiting { // a closed model has only the times of what ended in the measured time
			r.Outcome = result.Outcome{Class: result.Abandoned}
		}
	}
	if counts {
		r.At = time.Duration(now - c.begin)
		u.records = append(u.records, r)
	}
	if len(u.records) == countEach || now-u.counted > countWithin {
		u.count(now)
	}
}

// count passes the records on to the crew.
func (u *user) count(now int64) {
	u.crew.mu.Lock()
	defer u.crew.mu.Unlock()
	u.crew.count(u.records)
	u.records, u.counted = u.records[:0], now
}

// leave counts an arrival that will not be begun.
func (u *user) leave(due int64) {
	if due >= u.crew.begin {
		u.queued++
	}
}

// mostSilent is the number of unanswered inserts in a row, by one user, that ends a run before the load.
const mostSilent = 3

// insert inserts a document that the user may delete later. It returns false if the user should insert no more.
func (u *user) insert(ctx context.Context, t *workload.Transaction, done *int64) bool {
	c := u.crew
	if c.over(c.now()) || !u.draw(ctx, t) {
		return false
	}
	o := u.do(ctx)
	if o.Class != result.Unanswered {
		u.silent = 0
	} else if u.silent++; u.silent == mostSilent {
		c.die(errors.New("inserts before the load had no answer: " + o.Reason))
	} else {
		u.recover(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.Class == result.Good {
		u.Keep()
		*done++
	} else if o.Failed() {
		result.Count(&c.prepared.Unexpected, o.Reason, 1)
	}
	return o.Class != result.Abandoned && u.silent < mostSilent
}
