package drive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

const (
	// nap is the longest sleep of a user or a schedule, because a run may end early.
	nap = 50 * time.Millisecond
	// openBefore is how long before Plan.StartAt a run opens its sessions, so that they are open in time and not idle for
	// so long that a service closes them.
	openBefore = 2 * time.Second
)

// driver runs one workload once.
type driver struct {
	plan     Plan
	target   Target
	crowd    *workload.Crowd
	arrivals *arrivals // of the open model
	users    []*user
	records  chan *batch

	// Nanoseconds since zero: the measured time is from begin to end, and after end nothing new is begun. They are
	// atomic because users read them for each transaction.
	zero       time.Time
	begin, end atomic.Int64

	// With a Count: the measured transactions that users have taken, or that were due, and in the closed model those that
	// they have finished. The channel is closed when all are.
	taken, finished atomic.Int64
	complete        chan struct{}

	unprepared sync.WaitGroup // users that have not inserted their own documents yet
	working    sync.WaitGroup // users
	prepared   atomic.Int64   // documents that users have inserted before anything counts
	preparing  struct {       // adds up what all users have inserted before anything counts
		sync.Mutex

		result result.Prepared
	}

	broken outage // of a Break

	stop  context.CancelCauseFunc // ends the run early
	ended error                   // why it ended early
}

// Run runs a plan against a target. It returns a result and ErrInterrupted or ErrTargetDied if the run ended early, and
// an error without a result if it did not begin.
func Run(ctx context.Context, p Plan, t Target) (*result.Run, error) {
	// Calls outlive the run's context by the grace, so that those in progress are answered: without an answer it is
	// unknown whether a write was done.
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	d, run, err := prepare(ctx, calls, p, t)
	if err != nil {
		return nil, err
	}
	defer d.close()
	if err := d.await(ctx, p.StartAt); err != nil {
		return nil, err
	}
	if p.Begun != nil {
		p.Begun(run)
	}
	ctx, d.stop = context.WithCancelCause(ctx)
	defer d.stop(nil)
	d.zero = time.Now() // the load begins here
	run.Started = d.zero.UTC()
	if p.Rate > 0 {
		d.arrivals = newArrivals(&p, len(d.users))
	}
	tally := result.NewTally(mixed(d.crowd))
	tally.Watched = p.Live != nil
	ticks, counted := make(chan time.Duration), make(chan struct{})
	go func() { d.count(tally, ticks); close(counted) }()

	d.unprepared.Add(len(d.users))
	first, _ := p.Share.Users(p.Users)
	for n, u := range d.users {
		after := time.Duration(0)
		if p.Rate == 0 { // in the closed model, one begins after the other during the ramp
			after = p.Ramp * time.Duration(first+n) / time.Duration(p.Users)
		}
		d.working.Go(func() { u.work(calls, after) })
	}
	used := d.clock(ctx, ticks)
	patience := result.Grace
	if errors.Is(d.ended, ErrTargetDied) {
		patience = 0
	}
	ended := closedAfter(&d.working)
	select {
	case <-ended:
	case <-time.After(patience):
		cancel()
		<-ended
	}
	close(d.records)
	<-counted
	return d.finish(run, tally, used)
}

// prepare returns a driver with users that are connected, and a result that describes the target and the plan, or an
// error if the workload cannot run on the target.
func prepare(ctx, calls context.Context, p Plan, t Target) (_ *driver, _ *result.Run, err error) {
	if err := p.Check(); err != nil {
		return nil, nil, err
	}
	w := p.Definition
	d := &driver{plan: p, target: t, zero: time.Now(), complete: make(chan struct{}),
		records: make(chan *batch, batchQueue)}
	d.begin.Store(math.MaxInt64)
	d.end.Store(math.MaxInt64)
	target, held, err := t.describe(ctx)
	if err == nil && p.Populates != nil {
		in := held.Store
		if held, err = workload.PopulationOf(store.ContentsOf(p.Populates), tpox.EngineInfo{}); err == nil {
			held.Store = in
		}
	}
	if err == nil && w.NeedsDataset() {
		err = held.Check(p.Users)
	}
	if err != nil && (!errors.Is(err, workload.ErrNoDataset) || w.NeedsDataset()) {
		return nil, nil, err
	}
	if late := -time.Until(p.StartAt); !p.StartAt.IsZero() && late > 0 {
		return nil, nil, fmt.Errorf("the time to start, %s, was %s ago", p.StartAt.Format(time.RFC3339),
			late.Round(time.Second))
	}
	if err := t.permits(ctx, w); err != nil {
		return nil, nil, err
	}
	if d.crowd, err = workload.NewCrowd(w, held, d.zero, p.Seed); err != nil {
		return nil, nil, err
	}
	if err := d.startLedger(held.Stamp().Fingerprint); err != nil {
		return nil, nil, err
	}
	if err := d.await(ctx, p.StartAt.Add(-openBefore)); err != nil {
		return nil, nil, err
	}
	for n, to := p.Share.Users(p.Users); n < to; n++ {
		s, err := t.open(calls, p.Consistency)
		if err != nil {
			d.close()
			return nil, nil, err
		}
		d.users = append(d.users, &user{driver: d, User: d.crowd.User(n), session: s})
	}
	settings := held.Settings()
	maps.Copy(settings, p.Settings)
	return d, &result.Run{
		Format: result.Format, Tool: result.Tool{Name: "drive", Version: p.Version}, Commit: p.Commit, Target: target,
		Workload: result.WorkloadStamp{Name: w.Name, SHA256: w.SHA256, Validate: w.Validate, Mix: w.Mix,
			Weights: w.Weights, NewDocuments: w.DocumentsDrawn()},
		Model: p.model(), Ramp: p.Ramp.Seconds(), Duration: p.Duration.Seconds(), Seed: p.Seed,
		Dataset: held.Stamp(), Settings: settings, Faithful: held.Faithful(), Machine: ThisMachine(),
		Ended: result.Complete, Part: p.part(),
	}, nil
}

// close ends the connections of the users.
func (d *driver) close() {
	for _, u := range d.users {
		u.session.close()
	}
}

// await waits until at, or returns an error when the context is done first. Without Plan.StartAt it returns at once.
func (d *driver) await(ctx context.Context, at time.Time) error {
	if d.plan.StartAt.IsZero() {
		return nil
	}
	select {
	case <-time.After(time.Until(at)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func mixed(c *workload.Crowd) (mix []result.Mixed) {
	for _, part := range c.Mix() {
		mix = append(mix, result.Mixed{Name: part.Name, Kind: part.Kind.String(), Share: part.Share})
	}
	return mix
}

// closedAfter returns a channel that is closed when a group is done.
func closedAfter(group *sync.WaitGroup) <-chan struct{} {
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	return done
}

// clock runs the phases: users prepare and warm up, then the run is measured, with reports. It returns when nothing new
// is begun any more.
func (d *driver) clock(ctx context.Context, ticks chan<- time.Duration) *result.Resources {
	if !wait(ctx, d, closedAfter(&d.unprepared)) {
		if d.arrivals != nil {
			close(d.arrivals.due) // so that users end
		}
		return nil
	}
	warm := d.plan.Ramp - time.Duration(d.now())
	if d.arrivals != nil {
		warm = d.plan.Ramp
		d.arrivals.from = d.now()
		d.measureFrom(d.arrivals.from + int64(warm))
		go d.dispatch()
	}
	if !wait(ctx, d, time.After(warm)) {
		return nil
	}
	sampler := d.startSampling(context.WithoutCancel(ctx))
	if d.arrivals == nil {
		d.measureFrom(d.now())
	}
	broken := d.breakTarget(ctx)
	d.report(ctx, ticks)
	broken()
	return sampler.end(context.WithoutCancel(ctx))
}

func (d *driver) measureFrom(begin int64) {
	if d.plan.Duration > 0 {
		d.end.Store(begin + int64(d.plan.Duration))
	}
	d.begin.Store(begin)
}

// report waits for the end of the measured time, and passes on the ends of intervals.
func (d *driver) report(ctx context.Context, ticks chan<- time.Duration) {
	begin := d.begin.Load()
	for {
		passed := time.Duration(d.now() - begin)
		left := time.Duration(d.end.Load()-begin) - passed
		if left <= 0 {
			return
		}
		next := left
		if every := d.plan.Every; every > 0 {
			next = min(left, every-passed%every)
		}
		if !wait(ctx, d, time.After(next)) || d.over(d.now()) {
			return
		}
		if at, due := d.plan.reportAt(time.Duration(d.now() - begin)); due && next < left {
			ticks <- at
		}
	}
}

// reportAt returns the end of the interval to report when a time has passed. No report is due at the end of the run or
// after it: the last interval ends when users have passed on their last records.
func (p *Plan) reportAt(passed time.Duration) (at time.Duration, due bool) {
	due = p.Every > 0 && (passed < p.Duration || p.Duration == 0)
	return passed.Truncate(p.Every), due
}

// wait waits for a channel, or until all transactions of a Count are finished. If the run ends before, it returns
// false, and nothing new is begun.
func wait[T any](ctx context.Context, d *driver, reached <-chan T) bool {
	select {
	case <-reached:
	case <-d.complete:
	case <-ctx.Done():
	}
	if ctx.Err() == nil {
		return true
	}
	d.ended = ErrInterrupted
	if cause := context.Cause(ctx); errors.Is(cause, ErrTargetDied) || errors.Is(cause, ErrLedger) {
		d.ended = cause
	}
	d.end.Store(min(d.end.Load(), d.now()))
	return false
}

// count adds up records until their channel is closed. Ticks are the times, since measuring began, at which an interval
// ends. Plan.Report and Plan.Live are called from here.
func (d *driver) count(tally *result.Tally, ticks <-chan time.Duration) {
	var looks <-chan time.Time
	last := time.Now()
	if d.plan.Live != nil {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		looks = ticker.C
	}
	for {
		select {
		case b, ok := <-d.records:
			if !ok {
				return
			}
			for i := range b.records {
				tally.Add(&b.records[i])
			}
			batches.Put(b)
		case at := <-ticks:
			if i := tally.Cut(at); d.plan.Report != nil {
				d.plan.Report(i)
			}
		case now := <-looks:
			d.look(tally, now.Sub(last))
			last = now
		}
	}
}

// look reports the state of the run to Plan.Live.
func (d *driver) look(tally *result.Tally, span time.Duration) {
	count, times, failed := tally.Look()
	now, begin := d.now(), d.begin.Load()
	p := d.plan.Definition.Prepare
	m := Moment{Measuring: now >= begin, Left: d.plan.Ramp - time.Duration(now), Prepared: d.prepared.Load(),
		ToPrepare: int64(len(d.users)) * int64(p.Orders+p.Customers)}
	if m.Measuring {
		done := &d.finished
		if d.arrivals != nil {
			done = &d.taken
		}
		if d.plan.Duration > 0 {
			m.Left = time.Duration(d.end.Load() - now)
		} else {
			m.Remaining = max(d.plan.Count-done.Load(), 1)
		}
		m.TPS, m.P50, m.P99, m.Errors = float64(count)/span.Seconds(), times.P50, times.P99, failed
	}
	m.Left = max(m.Left, 0)
	d.plan.Live(m)
}

// die ends the run because the target does not answer.
func (d *driver) die(err error) { d.stop(fmt.Errorf("%w: %w", ErrTargetDied, err)) }

func (d *driver) now() int64 { return int64(time.Since(d.zero)) }

// over reports whether nothing new is begun at a time.
func (d *driver) over(at int64) bool { return at >= d.end.Load() }

// finishOne counts a measured transaction of the closed model. The last one of a Count ends the run.
func (d *driver) finishOne(now int64) {
	if d.finished.Add(1) == d.plan.Count {
		d.end.Store(min(d.end.Load(), now+1))
		close(d.complete)
	}
}

// finish completes the run with what was measured.
func (d *driver) finish(run *result.Run, tally *result.Tally, used *result.Resources) (*result.Run, error) {
	if measured := time.Duration(d.end.Load() - d.begin.Load()); measured > 0 {
		run.Measured, run.Warmed = measured.Seconds(), time.Duration(d.begin.Load()).Seconds()
		tally.Cut(measured)
		run.Usage = usage(used, run.Target, run.Machine.Cores)
		run.Resources = used
	}
	run.Usage.Shared = run.Target.Kind == result.Direct
	if p := d.preparing.result; p.Orders > 0 || p.Customers > 0 || len(p.Unexpected) > 0 {
		run.Prepared = &p
	}
	if a := d.arrivals; a != nil {
		run.Arrivals = &result.Arrivals{Due: a.counted, Dropped: a.dropped}
		for _, u := range d.users {
			run.Arrivals.Started += u.started
			run.Arrivals.Late += u.late
			run.Arrivals.Queued += u.queued
		}
	}
	if d.plan.Ledger != nil {
		run.Proof = &result.Proof{}
	}
	run.Break = d.broken.result()
	switch {
	case errors.Is(d.ended, ErrTargetDied):
		run.Ended = result.TargetDied
	case d.ended != nil:
		run.Ended = result.Interrupted
	}
	if err := tally.Finish(run); err != nil {
		return nil, err
	}
	return run, d.ended
}
