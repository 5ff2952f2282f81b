package workload

import (
	"context"
	"fmt"
	"time"
)

// worker carries out the transactions of one user.
type worker struct {
	driver  *driver
	user    *user
	session session
	batch   *batch
	started int64 // arrivals in the measured time that were begun,
	late    int64 // of these, the ones begun late,
	queued  int64 // and arrivals that were never begun
	counts  bool  // the user's transaction is one of the run's Count
}

func (w *worker) work(ctx context.Context, after time.Duration) {
	d := w.driver
	w.batch = newBatch(d.now())
	defer func() { d.collector.full <- w.batch }()
	ready := w.pause(after) && w.prepare(ctx)
	d.unprepared.Done()
	switch {
	case !ready:
	case d.arrivals != nil:
		for due := range d.arrivals.due {
			if ctx.Err() != nil {
				w.leave(due)
				continue
			}
			w.step(ctx, due)
		}
	default:
		for w.take() && !d.over(w.step(ctx, 0)) && (d.config.Think == Think{} || w.pause(d.config.Think.draw(w.user.rand))) {
		}
	}
}

// take takes one of the transactions of a Count. It returns false when none is left. Without a ramp it waits until the
// measured time begins, so that no transaction is left out of the Count.
func (w *worker) take() bool {
	d := w.driver
	for d.config.Count > 0 && d.config.Ramp == 0 && d.now() < d.begin.Load() && !d.over(d.now()) {
		time.Sleep(time.Millisecond)
	}
	w.counts = d.config.Count > 0 && d.now() >= d.begin.Load()
	return !w.counts || d.taken.Add(1) <= d.config.Count
}

// pause returns false if the run ends before the time is over.
func (w *worker) pause(long time.Duration) bool {
	// The pause is slept in slices because the run may end at any time. Waiting for a channel instead would cost time in
	// each transaction.
	for until := w.driver.now() + int64(long); ; {
		now := w.driver.now()
		if w.driver.over(now) || now >= until {
			return !w.driver.over(now)
		}
		time.Sleep(min(time.Duration(until-now), nap))
	}
}

// prepare inserts what the user may remove later. It returns false if the run ends before.
func (w *worker) prepare(ctx context.Context) bool {
	own, began, ok := Prepared{}, w.driver.now(), true
	for _, t := range registry {
		if t.prepare != nil && ok {
			calls, counter := t.prepare(w.user.definition.Prepare, &own)
			ok = w.insert(ctx, t, calls, counter, &own)
		}
	}
	own.Seconds = time.Duration(w.driver.now() - began).Seconds()
	p := &w.driver.preparing
	p.Lock()
	defer p.Unlock()
	p.result = p.result.and(own)
	return ok
}

// mostUnanswered is how many inserts of a user in a row may have no answer while it prepares. Each takes answerWithin
// when the target is silent.
const mostUnanswered = 3

// insert makes a number of calls and counts them.
func (w *worker) insert(ctx context.Context, t *Transaction, calls int, inserted *int64, own *Prepared) bool {
	for unansweredInARow := 0; calls > 0; calls-- {
		if w.driver.over(w.driver.now()) || !w.draw(ctx, t) {
			return false
		}
		switch o := w.do(ctx); o.class {
		case good:
			w.user.keep()
			*inserted++
			unansweredInARow = 0
			w.driver.prepared.Add(1)
		case abandoned:
			return false
		default:
			count(&own.Unexpected, o.reason, 1)
			if unansweredInARow++; o.class != unanswered {
				unansweredInARow = 0
			}
			if unansweredInARow == mostUnanswered {
				w.driver.die(fmt.Errorf("%d inserts in a row of one user had no answer (%s), after %d of %d documents "+
					"were prepared", mostUnanswered, o.reason, w.driver.prepared.Load(), w.driver.toPrepare()))
				return false
			}
			w.recover(ctx, o)
		}
	}
	return true
}

// step carries out a transaction and returns the time after it. due is the time at which the transaction was due in the
// open model; in the closed model it is 0.
func (w *worker) step(ctx context.Context, due int64) int64 {
	part := w.user.choose()
	for !w.draw(ctx, w.user.mix[part].Transaction) {
		now := w.driver.now()
		if w.driver.over(now) && due == 0 || ctx.Err() != nil {
			w.leave(due)
			return now
		}
		w.record(sample{part: part, outcome: outcome{class: emptied}}, now, now, due)
		part = w.user.choose()
	}
	began := w.driver.now()
	o := w.do(ctx)
	now := w.driver.now()
	if o.class == good {
		w.user.keep()
	}
	from := began
	if due != 0 {
		from = due
		w.arrived(due, began)
	}
	w.record(sample{took: now - from, part: part, outcome: o}, began, now, due)
	if w.counts {
		w.driver.finishOne(now)
	}
	w.recover(ctx, o)
	return now
}

// do makes the call. One that the end of the run cuts off is abandoned, which says nothing about the target.
func (w *worker) do(ctx context.Context) outcome {
	o := w.session.do(ctx, &w.user.call)
	if w.user.call.isNew && o.reason == reasonNotFound {
		o.class = expected // another user has deleted it meanwhile
	}
	if o.class == unanswered && ctx.Err() != nil {
		return outcome{class: abandoned}
	}
	return o
}

// leave counts an arrival that will not be begun.
func (w *worker) leave(due int64) {
	if due >= w.driver.begin.Load() {
		w.queued++
	}
}

// arrived counts an arrival that was begun.
func (w *worker) arrived(due, began int64) {
	if due < w.driver.begin.Load() {
		return
	}
	w.started++
	if began-due > int64(time.Millisecond) {
		w.late++
	}
}

// record adds a sample to the batch if it counts: in the open model, if it was due in the measured time; in the closed
// model, if it is one of a Count, or else if it began before the end of the measured time and ended after its start.
func (w *worker) record(s sample, began, now, due int64) {
	begin, end := w.driver.begin.Load(), w.driver.end.Load()
	s.waiting = now >= end
	counts := due >= begin
	if due == 0 {
		counts = w.counts || w.driver.config.Count == 0 && now >= begin && began < end
		if s.waiting { // a closed model has only the times of what ended in the measured time
			s.outcome = outcome{class: abandoned}
		}
	}
	if counts {
		s.at = now - begin
		w.batch.samples = append(w.batch.samples, s)
	}
	if len(w.batch.samples) == batchSize || now-w.batch.opened > batchOpen {
		w.driver.collector.full <- w.batch
		w.batch = newBatch(now)
	}
}

// draw fills the user's call, and leases more ids if it needs some.
func (w *worker) draw(ctx context.Context, t *Transaction) bool {
	if w.user.draw(t) {
		return true
	}
	if len(t.newIDs) == 0 {
		return false
	}
	if err := w.refill(ctx, t); err != nil {
		w.driver.die(err)
		return false
	}
	return w.user.draw(t)
}

// recover waits for a target that has not answered, and ends the run if it does not come back.
func (w *worker) recover(ctx context.Context, o outcome) {
	if o.class != unanswered || w.driver.over(w.driver.now()) {
		return
	}
	if err := w.session.recover(ctx); err != nil && ctx.Err() == nil {
		w.driver.die(err)
	}
}
