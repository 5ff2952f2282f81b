package workload

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// grace is how long the driver waits, at the end of a run, for transactions in progress. After that it abandons them,
// which does not count as an error of the target.
const grace = 10 * time.Second

// nap is the longest sleep of a user or a schedule, because a run may end early.
const nap = 50 * time.Millisecond

// driver runs one workload once.
type driver struct {
	config    Config
	backend   Backend
	plan      *plan
	collector *collector
	arrivals  *arrivals // of the open model

	// Nanoseconds since zero: the measured time is from begin to end, and after end nothing new is begun. They are
	// atomic because users read them for each transaction.
	zero       time.Time
	begin, end atomic.Int64

	// Of a closed model with a Count: the measured transactions that users have taken and finished. The channel is
	// closed when all are finished.
	taken, finished atomic.Int64
	complete        chan struct{}

	unprepared sync.WaitGroup // users that have not inserted their own documents yet
	working    sync.WaitGroup // users
	prepared   atomic.Int64   // documents that users have inserted before anything counts
	preparing  struct {       // adds up what all users have inserted before anything counts
		sync.Mutex

		result Prepared
	}

	stop  context.CancelCauseFunc // ends the run early
	ended error                   // why it ended early
}

// Drive runs a workload. It returns a run and ErrInterrupted or ErrTargetDied if the run ended early, and an error
// without a run if it did not begin.
func Drive(ctx context.Context, b Backend, c Config) (*Run, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	d := &driver{config: c, backend: b, zero: time.Now(), complete: make(chan struct{})}
	if c.Count > 0 && c.Rate > 0 { // the last is due by then, and dispatch counts
		d.config.Duration = time.Duration(float64(c.Count)/c.Rate*1e9) + time.Duration(tick)
	}
	d.begin.Store(math.MaxInt64)
	d.end.Store(math.MaxInt64)
	run, err := d.describe(ctx)
	if err != nil {
		return nil, err
	}
	// Calls outlive the run's context by the grace, so that those in progress are answered: without an answer it is
	// unknown whether a write was done.
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if err := d.await(ctx, c.StartAt.Add(-openBefore)); err != nil {
		return nil, err
	}
	workers, err := d.workers(ctx, calls)
	defer func() {
		for _, w := range workers {
			w.session.close()
		}
	}()
	if err != nil {
		return nil, err
	}
	if err := d.await(ctx, c.StartAt); err != nil {
		return nil, err
	}
	if c.Begun != nil {
		c.Begun(run)
	}
	usage := d.work(ctx, calls, cancel, workers, run)
	return d.finish(run, usage, workers)
}

// await waits until a time of Config.StartAt, or returns an error when the context is done first. Without StartAt it
// returns at once.
func (d *driver) await(ctx context.Context, at time.Time) error {
	if d.config.StartAt.IsZero() {
		return nil
	}
	select {
	case <-time.After(time.Until(at)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// describe returns a run that describes the target and the configuration, or an error if the workload cannot run on it.
func (d *driver) describe(ctx context.Context) (*Run, error) {
	c := &d.config
	target, p, err := d.backend.describe(ctx)
	if err == nil && c.Definition.needsDataset() {
		err = p.check(c.Users)
	}
	if err != nil && (!errors.Is(err, ErrNoDataset) || c.Definition.needsDataset()) {
		return nil, err
	}
	if late := -time.Until(c.StartAt); !c.StartAt.IsZero() && late > 0 {
		return nil, fmt.Errorf("the time to start, %s, was %s ago", c.StartAt.Format(time.RFC3339), late.Round(time.Second))
	}
	if err := d.backend.permits(ctx, c.Definition); err != nil {
		return nil, err
	}
	if d.plan, err = newPlan(c.Definition, p, d.zero, c.Seed, c.Users); err != nil {
		return nil, err
	}
	d.plan.share = c.Share
	d.plan.from, d.plan.to = c.Share.Users(c.Users)
	d.collector = newCollector(d.plan.mix)
	d.collector.mergeable = c.Share != Share{}
	settings := p.settings()
	maps.Copy(settings, c.Settings)
	w := c.Definition
	return &Run{
		Format: RunFormat, Tool: Tool{"drive", c.Version}, Commit: c.Commit, Target: target,
		Workload: WorkloadStamp{Name: w.Name, SHA256: w.SHA256, Validate: w.Validate, Mix: w.Mix, Weights: w.Weights,
			NewDocuments: w.newDocuments()},
		Model: c.model(), Ramp: c.Ramp.Seconds(), Duration: c.Duration.Seconds(), Seed: c.Seed,
		Dataset: p.stamp(), Settings: settings, Faithful: p.faithful(), Machine: ThisMachine(), Ended: Complete,
		Part: c.stamp(),
	}, nil
}

// workers returns the users, each with a session and with ids for what it will insert. With an error it returns those
// that were made until then.
func (d *driver) workers(ctx, calls context.Context) (workers []*worker, err error) {
	leases, err := d.lease(ctx)
	if err != nil {
		return nil, err
	}
	// The null store answers every request with the same documents.
	check := checker{keys: !strings.HasPrefix(d.plan.population.Fingerprint, "null/")}
	for n := d.plan.from; n < d.plan.to; n++ {
		s, err := d.backend.open(calls, check, d.config.Consistency)
		if err != nil {
			return workers, err
		}
		workers = append(workers, &worker{driver: d, user: newUser(d.plan, n, leases), session: s})
	}
	return workers, nil
}

// work runs the users until all have ended, and returns what was used in the measured time.
func (d *driver) work(
	ctx, calls context.Context, cancel context.CancelFunc, workers []*worker, run *Run,
) (usage measuredUsage) {
	ctx, d.stop = context.WithCancelCause(ctx)
	defer d.stop(nil)
	d.zero = time.Now() // the load begins here
	run.Started = d.zero.UTC()
	ticks := make(chan time.Duration)
	go d.collector.collect(ticks, d.config.Report, d.looker())
	if d.config.Rate > 0 {
		d.arrivals = newArrivals(d.config.Rate, d.config.Ramp, len(workers), d.config.Share)
		if n := processors(run.Target, run.ownRate(), run.Machine.Cores); n < run.Machine.Cores {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
		}
	}
	d.unprepared.Add(len(workers))
	for n, w := range workers {
		d.working.Go(func() { w.work(calls, d.startOf(d.plan.from+n)) })
	}
	usage = d.clock(ctx, ticks)

	patience := grace
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
	close(d.collector.full)
	<-d.collector.ended
	return usage
}

// closedAfter returns a channel that is closed when a group is done.
func closedAfter(group *sync.WaitGroup) <-chan struct{} {
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	return done
}

// startOf returns when user n begins: in the closed model one after the other during the ramp.
func (d *driver) startOf(n int) time.Duration {
	if d.config.Rate > 0 {
		return 0
	}
	return d.config.Ramp * time.Duration(n) / time.Duration(d.config.Users)
}

// clock runs the phases: users prepare and warm up, then the run is measured, with reports. It returns when nothing new
// is begun any more.
func (d *driver) clock(ctx context.Context, ticks chan<- time.Duration) (u measuredUsage) {
	if !wait(ctx, d, closedAfter(&d.unprepared)) {
		if d.arrivals != nil {
			close(d.arrivals.due) // so that users end
		}
		return u
	}
	warm := d.config.Ramp - time.Duration(d.now())
	if d.arrivals != nil {
		warm = d.config.Ramp
		d.arrivals.from = d.now()
		d.measureFrom(d.arrivals.from + int64(warm))
		go d.dispatch()
	}
	if !wait(ctx, d, time.After(warm)) {
		return u
	}
	u.before = d.readUsage(ctx)
	sampler := d.startSampling(context.WithoutCancel(ctx))
	if d.arrivals == nil {
		d.measureFrom(d.now())
	}
	d.report(ctx, ticks)
	u.resources = sampler.end(context.WithoutCancel(ctx))
	u.after = d.readUsage(context.WithoutCancel(ctx))
	return u
}

// toPrepare returns how many documents all users insert before anything counts.
func (d *driver) toPrepare() int64 {
	p := d.config.Definition.Prepare
	return int64(d.plan.to-d.plan.from) * int64(p.Orders+p.Customers)
}

func (d *driver) measureFrom(begin int64) {
	if d.config.Duration > 0 {
		d.end.Store(begin + int64(d.config.Duration))
	}
	d.begin.Store(begin)
}

// report waits for the end of the measured time.
func (d *driver) report(ctx context.Context, ticks chan<- time.Duration) {
	begin := d.begin.Load()
	for {
		passed := time.Duration(d.now() - begin)
		left := time.Duration(d.end.Load()-begin) - passed
		if left <= 0 {
			return
		}
		next := left
		if every := d.config.Every; every > 0 {
			next = min(left, every-passed%every)
		}
		if !wait(ctx, d, time.After(next)) || d.over(d.now()) {
			return
		}
		if at, due := d.config.reportAt(time.Duration(d.now() - begin)); due && next < left {
			ticks <- at
		}
	}
}

// reportAt returns the end of the interval to report when a time has passed. No report is due at the end of the run or
// after it: the last interval ends when users have passed on their last samples.
func (c *Config) reportAt(passed time.Duration) (at time.Duration, due bool) {
	due = c.Every > 0 && (passed < c.Duration || c.Duration == 0)
	return passed.Truncate(c.Every), due
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
	if cause := context.Cause(ctx); errors.Is(cause, ErrTargetDied) {
		d.ended = cause
	}
	d.end.Store(min(d.end.Load(), d.now()))
	return false
}

// looker returns the function that reports the state of the run to Config.Live, or nil.
func (d *driver) looker() lookFunc {
	if d.config.Live == nil {
		return nil
	}
	return func(recent *aggregate, span time.Duration, errors int64) {
		now, begin := d.now(), d.begin.Load()
		m := Moment{Measuring: now >= begin, Left: d.config.Ramp - time.Duration(now),
			Prepared: d.prepared.Load(), ToPrepare: d.toPrepare()}
		if m.Measuring {
			l := recent.latency()
			if d.config.Duration > 0 {
				m.Left = time.Duration(d.end.Load() - now)
			} else {
				m.Remaining = max(d.config.Count-d.finished.Load(), 1)
			}
			m.TPS, m.P50, m.P99, m.Errors = float64(recent.count)/span.Seconds(), l.P50, l.P99, errors
		}
		m.Left = max(m.Left, 0)
		d.config.Live(m)
	}
}

// die ends the run because the target does not answer.
func (d *driver) die(err error) { d.stop(fmt.Errorf("%w: %w", ErrTargetDied, err)) }

func (d *driver) now() int64 { return int64(time.Since(d.zero)) }

// over reports whether nothing new is begun at a time.
func (d *driver) over(at int64) bool { return at >= d.end.Load() }

// finishOne counts a measured transaction. The last one of a Count ends the run.
func (d *driver) finishOne(now int64) {
	if d.finished.Add(1) == d.config.Count {
		d.end.Store(min(d.end.Load(), now+1))
		close(d.complete)
	}
}

// finish completes the run with what was measured.
func (d *driver) finish(run *Run, u measuredUsage, workers []*worker) (*Run, error) {
	if measured := time.Duration(d.end.Load() - d.begin.Load()); measured > 0 {
		run.Measured, run.Warmed = measured.Seconds(), time.Duration(d.begin.Load()).Seconds()
		d.collector.cut(measured)
		run.Usage = usage(u, run.Target, run.Machine.Cores)
		run.Resources = u.resources
	}
	run.Usage.Shared = run.Target.Kind == directTarget
	run.Intervals, run.PerSecond = d.collector.intervals, d.collector.perSecond
	if p := d.preparing.result; p.Orders > 0 || p.Customers > 0 || len(p.Unexpected) > 0 {
		run.Prepared = &p
	}
	if a := d.arrivals; a != nil {
		run.Arrivals = &Arrivals{Due: a.counted, Dropped: a.dropped}
		for _, w := range workers {
			run.Arrivals.Started += w.started
			run.Arrivals.Late += w.late
			run.Arrivals.Queued += w.queued
		}
	}
	switch {
	case errors.Is(d.ended, ErrTargetDied):
		run.Ended = TargetDied
	case d.ended != nil:
		run.Ended = Interrupted
	}
	if err := run.total(d.collector.all, d.plan.mix); err != nil {
		return nil, err
	}
	return run, d.ended
}

// total sets the table, and the figures that depend on it.
func (r *Run) total(all []*aggregate, mix []part) error {
	if err := r.fill(all, mix); err != nil {
		return fmt.Errorf("encoding a histogram: %w", err)
	}
	if a := r.Arrivals; a != nil { // those that never became a transaction
		r.Total.Dropped = a.Dropped
		r.Total.Waiting += a.Queued
		r.Total.Due += a.Dropped + a.Queued
	}
	if r.Measured > 0 {
		r.TPS = float64(r.Total.Count-r.Total.unexpected()) / r.Measured
		r.TPM = 60 * r.TPS
		r.Goodput = float64(r.Total.Good) / r.Measured
	}
	r.Validity = judge(r)
	return nil
}
