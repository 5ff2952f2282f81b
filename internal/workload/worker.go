package workload

import (
	"context"
	"sync"
	"time"
)

// worker is a user at work.
type worker struct {
	driver  *driver
	user    *user
	session session
	batch   *batch
	late    int64 // arrivals that were begun late
	started int64 // arrivals that were begun, of those that count
	queued  int64 // and that were not
}

// preparing is what all users have inserted before anything counts.
type preparing struct {
	sync.Mutex

	result Prepared
}

func (w *worker) work(ctx context.Context, after time.Duration) {
	w.batch = newBatch(w.driver.now())
	defer func() { w.driver.collector.full <- w.batch }()
	ready := w.pause(after) && w.prepare(ctx)
	w.driver.unprepared.Done()
	if !ready {
		return
	}
	if w.driver.arrivals != nil {
		for due := range w.driver.arrivals.due {
			if ctx.Err() != nil {
				w.leave(due)
				continue
			}
			w.step(ctx, due)
		}
		return
	}
	think := w.driver.config.Think
	for w.step(ctx, 0) < w.driver.end.Load() {
		if think > 0 && !w.pause(think) {
			return
		}
	}
}

// pause is false if the run ends before the time is over.
func (w *worker) pause(long time.Duration) bool {
	// In slices, since a run may be ended at any time and has no channel for it
	// that would not cost each transaction something.
	for until := w.driver.now() + int64(long); ; {
		now := w.driver.now()
		if now >= w.driver.end.Load() {
			return false
		}
		if now >= until {
			return true
		}
		time.Sleep(min(time.Duration(until-now), 50*time.Millisecond))
	}
}

// prepare inserts what the user may take away later.
func (w *worker) prepare(ctx context.Context) bool {
	own, began := Prepared{Unexpected: map[string]int64{}}, w.driver.now()
	ok := w.insert(ctx, insertOrder, w.user.definition.Prepare.Orders, &own.Orders, own.Unexpected) &&
		w.insert(ctx, insertCustomer, w.user.definition.Prepare.Customers, &own.Customers, own.Unexpected)
	p := &w.driver.preparing
	p.Lock()
	defer p.Unlock()
	p.result.Orders += own.Orders
	p.result.Customers += own.Customers
	p.result.Seconds = max(p.result.Seconds, time.Duration(w.driver.now()-began).Seconds())
	for reason, n := range own.Unexpected {
		if p.result.Unexpected == nil {
			p.result.Unexpected = make(map[string]int64)
		}
		p.result.Unexpected[reason] += n
	}
	return ok
}

func (w *worker) insert(ctx context.Context, transaction, n int, inserted *int64, refused map[string]int64) bool {
	for range n {
		if w.driver.now() >= w.driver.end.Load() || !w.draw(ctx, transaction) {
			return false
		}
		switch o := w.do(ctx); o.class {
		case good:
			w.user.did()
			*inserted++
		case abandoned:
			return false
		case unanswered:
			refused[o.reason]++
			w.recover(ctx)
		default:
			refused[o.reason]++
		}
	}
	return true
}

// step does a transaction, which was due at a time in the open model, and gives
// the time.
func (w *worker) step(ctx context.Context, due int64) int64 {
	transaction := w.user.transaction()
	for !w.draw(ctx, transaction) {
		now := w.driver.now()
		if now >= w.driver.end.Load() && due == 0 || ctx.Err() != nil {
			w.leave(due)
			return now
		}
		w.record(sample{transaction: transaction, outcome: outcome{class: emptied}}, now, now, due)
		transaction = w.user.transaction()
	}
	began := w.driver.now()
	o := w.do(ctx)
	now := w.driver.now()
	if o.class == good {
		w.user.did()
	}
	from := began
	if due != 0 {
		from = due
		w.arrived(due, began)
	}
	w.record(sample{took: now - from, transaction: transaction, outcome: o}, began, now, due)
	if o.class == unanswered {
		w.recover(ctx)
	}
	return now
}

// do does the call. One that the end of the run cuts off says nothing about the
// target.
func (w *worker) do(ctx context.Context) outcome {
	o := w.session.do(ctx, &w.user.call)
	if o.class == unanswered && ctx.Err() != nil {
		return outcome{class: abandoned}
	}
	return o
}

// leave counts an arrival that is not begun any more.
func (w *worker) leave(due int64) {
	if due >= w.driver.begin.Load() {
		w.queued++
	}
}

// arrived counts arrivals.
func (w *worker) arrived(due, began int64) {
	if due < w.driver.begin.Load() {
		return
	}
	w.started++
	if began-due > int64(time.Millisecond) {
		w.late++
	}
}

// record hands on what counts: in the open model what was due while it was
// measured, in the closed one what was begun before the end and ended then or
// later.
func (w *worker) record(s sample, began, now, due int64) {
	begin, end := w.driver.begin.Load(), w.driver.end.Load()
	s.waiting = now >= end
	counts := due >= begin
	if due == 0 {
		counts = now >= begin && began < end
		if s.waiting { // without a time: those of a closed model are of what ended while it was measured
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

// draw fills the user's call, with more ids if it needs some.
func (w *worker) draw(ctx context.Context, transaction int) bool {
	if w.user.draw(transaction) {
		return true
	}
	if !makes(transaction) {
		return false
	}
	if err := w.refill(ctx); err != nil {
		w.driver.die(err)
		return false
	}
	return w.user.draw(transaction)
}

// makes tells whether a transaction makes something new, which needs an id.
func makes(transaction int) bool {
	return transaction == insertOrder || transaction == insertCustomer || transaction == openAccount
}

// recover waits for a target that has not answered; if it does not come back,
// the run is over.
func (w *worker) recover(ctx context.Context) {
	if w.driver.now() >= w.driver.end.Load() {
		return
	}
	if err := w.session.recover(ctx); err != nil && ctx.Err() == nil {
		w.driver.die(err)
	}
}
