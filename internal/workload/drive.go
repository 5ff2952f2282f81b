package workload

import (
	"context"
	"maps"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// RunnerName is the tool's name in results.
const RunnerName = "drive"

// grace is how long the driver waits, at the end of a run, for transactions in progress. After that it abandons them,
// which does not count as an error of the target.
const grace = 10 * time.Second

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

	unprepared sync.WaitGroup // users that have not inserted their own documents yet
	working    sync.WaitGroup // users
	preparing  preparing

	stopOnce sync.Once
	dead     chan struct{} // closed when the target has died
	died     error         // why; read it after dead
}

// Drive runs a workload. It returns a run and ErrInterrupted or ErrTargetDied if the run ended early, and an error
// without a run if it did not begin.
func Drive(ctx context.Context, b Backend, c Config) (*Run, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	d := &driver{config: c, backend: b, zero: time.Now(), dead: make(chan struct{})}
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
	workers, err := d.workers(ctx, calls)
	defer func() {
		for _, w := range workers {
			w.session.close()
		}
	}()
	if err != nil {
		return nil, err
	}
	if c.Begun != nil {
		c.Begun(run)
	}
	return d.drive(ctx, calls, cancel, workers, run)
}

// describe returns a run that describes the target and the configuration, or an error if the workload cannot run on it.
func (d *driver) describe(ctx context.Context) (*Run, error) {
	c := &d.config
	target, settings, err := d.backend.stamp(ctx)
	if err != nil {
		return nil, err
	}
	p, err := d.backend.population(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.check(c.Users); err != nil {
		return nil, err
	}
	if err := d.backend.permits(ctx, c.Definition); err != nil {
		return nil, err
	}
	docs, err := newDocuments(p, c.Definition, d.zero)
	if err != nil {
		return nil, err
	}
	if d.plan, err = newPlan(c.Definition, p, docs, c.Seed, c.Users); err != nil {
		return nil, err
	}
	d.collector = newCollector(d.plan.mix)
	all := make(map[string]string)
	maps.Copy(all, settings)
	maps.Copy(all, c.Settings)
	return &Run{
		Format: RunFormat, Tool: Tool{RunnerName, c.Version}, Commit: c.Commit, Target: target,
		Workload: WorkloadStamp{
			Name: c.Definition.Name, SHA256: c.Definition.SHA256,
			Validate: c.Definition.Validate, Mix: c.Definition.Mix,
		},
		Model: c.model(), Ramp: c.Ramp.Seconds(), Duration: c.Duration.Seconds(), Seed: c.Seed,
		Dataset: p.stamp(), Settings: all, Machine: machine(), Ended: Complete,
	}, nil
}

// answersAnything reports whether the target is the null store, which answers every request with the same documents.
func answersAnything(p *population) bool { return strings.HasPrefix(p.Fingerprint, "null/") }

// workers returns the users, each with a session and with ids for what it will insert. With an error it returns those
// that were made until then.
func (d *driver) workers(ctx, calls context.Context) (workers []*worker, err error) {
	leases, err := d.lease(ctx)
	if err != nil {
		return nil, err
	}
	check := checker{keys: !answersAnything(d.plan.population)}
	for n := range d.config.Users {
		s, err := d.backend.open(calls, check)
		if err != nil {
			return workers, err
		}
		workers = append(workers, &worker{driver: d, user: newUser(d.plan, n, leases), session: s})
	}
	return workers, nil
}

// drive starts the users and the clock, and returns the result.
func (d *driver) drive(
	ctx, calls context.Context, cancel context.CancelFunc, workers []*worker, run *Run,
) (*Run, error) {
	d.zero = time.Now() // the load begins here
	run.Started = d.zero.UTC()
	ticks := make(chan time.Duration)
	go d.collector.collect(ticks, d.config.Report, d.looker())
	if d.config.Rate > 0 {
		d.arrivals = newArrivals(d.config.Rate, d.config.Ramp, d.config.Users)
		if n := processors(run.Target, d.config.Rate, run.Machine.Cores); n < run.Machine.Cores && !d.config.shared {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
		}
	}
	d.unprepared.Add(len(workers))
	for n, w := range workers {
		d.working.Go(func() { w.work(calls, d.startOf(n)) })
	}
	usage := d.clock(ctx, ticks, run)

	ended := make(chan struct{})
	go func() { d.working.Wait(); close(ended) }()
	patience := grace
	if run.Ended == TargetDied {
		patience = 0
	}
	select {
	case <-ended:
	case <-time.After(patience):
		cancel()
		<-ended
	}
	close(d.collector.full)
	<-d.collector.ended
	return d.finish(run, usage, workers)
}

// looker returns the function that reports the state of the run to Config.Live, or nil.
func (d *driver) looker() lookFunc {
	if d.config.Live == nil {
		return nil
	}
	return func(recent *aggregate, span time.Duration, errors int64) {
		now, begin := d.now(), d.begin.Load()
		m := Moment{Measuring: now >= begin, Left: d.config.Ramp - time.Duration(now)}
		if m.Measuring {
			l := recent.latency()
			m.Left = time.Duration(d.end.Load() - now)
			m.TPS, m.P50, m.P99, m.Errors = float64(recent.count)/span.Seconds(), l.P50, l.P99, errors
		}
		m.Left = max(m.Left, 0)
		d.config.Live(m)
	}
}

func (d *driver) now() int64 { return int64(time.Since(d.zero)) }

// die ends the run because the target does not answer.
func (d *driver) die(err error) {
	d.stopOnce.Do(func() {
		d.died = err
		d.end.Store(min(d.end.Load(), d.now()))
		close(d.dead)
	})
}
