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

// A Crew is the users of a workload with their connections. It works for a whole run, or for slices of time between
// which it is idle, while a comparison measures another target.
type Crew struct {
	Run *result.Run // describes the target and the plan; it has no figures of slices

	plan   Plan
	target Target
	crowd  *workload.Crowd
	users  []*user
	calls  context.Context //nolint:containedctx // that of the connections, which outlive each slice
	cancel context.CancelFunc
	stop   context.CancelCauseFunc // ends what the users do, for a reason

	// Nanoseconds since zero: the measured time is from begin to end; after end, only arrivals that wait are begun. The
	// end is atomic, because users read it for each transaction and any of them may end the run.
	zero     time.Time
	begin    int64
	end      atomic.Int64
	arrivals *arrivals     // of the open model, or nil
	patience time.Duration // how long waiting arrivals are still begun after the end
	// In the closed model with a Count: measured transactions that users have begun and finished.
	taken, finished atomic.Int64
	brokenAt        atomic.Int64 // when Break.Do began, or 0

	mu         sync.Mutex // for the fields below
	count      func([]result.Record)
	prepared   result.Prepared
	broken     result.Break
	unanswered int64 // when, after a Break, a call first failed with its effect unknown
}

// Gather connects the users of a plan to a target and lets them prepare. Plan.Duration is the longest time of all
// slices together. Slices have no ramp; the plan must have no think time and no share.
func Gather(ctx context.Context, p Plan, t Target) (*Crew, error) {
	c, err := connect(ctx, p, t)
	if err != nil {
		return nil, err
	}
	if err := c.prepare(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// connect returns users that are connected, or an error if the workload cannot run on the target.
func connect(ctx context.Context, p Plan, t Target) (_ *Crew, err error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	w := p.Definition
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
		return nil, err
	}
	if err := t.permits(ctx, w); err != nil {
		return nil, err
	}
	c := &Crew{plan: p, target: t, zero: time.Now(), begin: math.MaxInt64}
	c.end.Store(math.MaxInt64)
	c.calls, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	if c.crowd, err = workload.NewCrowd(w, held, c.zero, p.Seed); err != nil {
		return nil, err
	}
	if err := c.startLedger(held.Stamp().Fingerprint); err != nil {
		return nil, err
	}
	for n, to := p.Share.Users(p.Users); n < to; n++ {
		s, err := t.open(c.calls, p.Consistency)
		if err != nil {
			return nil, err
		}
		c.users = append(c.users, &user{crew: c, User: c.crowd.User(n), number: n, session: s})
	}
	settings := held.Settings()
	maps.Copy(settings, p.Settings)
	c.Run = &result.Run{
		Format: result.Format, Tool: result.Tool{Name: "drive", Version: p.Version}, Commit: p.Commit, Target: target,
		Workload: result.WorkloadStamp{Name: w.Name, SHA256: w.SHA256, Validate: w.Validate, Mix: w.Mix,
			Weights: w.Weights, NewDocuments: w.DocumentsDrawn()},
		Model: p.model(), Ramp: p.Ramp.Seconds(), Duration: p.Duration.Seconds(), Seed: p.Seed,
		Dataset: held.Stamp(), Settings: settings, Faithful: held.Faithful(), Machine: ThisMachine(),
		Ended: result.Complete, Part: p.part(),
	}
	return c, nil
}

// Close closes the connections.
func (c *Crew) Close() {
	c.cancel()
	for _, u := range c.users {
		u.session.close()
	}
}

// Mix returns the transactions that the users draw; Transaction of a result.Record is an index into them.
func (c *Crew) Mix() []workload.Mixed { return c.crowd.Mix() }

// tally returns an empty tally with a row for each transaction of the mix.
func (c *Crew) tally() *result.Tally {
	var rows []result.Row
	for _, part := range c.Mix() {
		rows = append(rows, result.Row{Name: part.Name, Kind: part.Kind.String(), Weight: part.Share})
	}
	return result.NewTally(rows)
}

func (c *Crew) now() int64 { return int64(time.Since(c.zero)) }

// over reports whether a time is at or after the end.
func (c *Crew) over(at int64) bool { return at >= c.end.Load() }

func (c *Crew) endAt(at int64) { c.end.Store(min(c.end.Load(), at)) }

// nap is the longest single sleep of a longer wait, so that an early end of the run is soon noticed; waiting for a
// channel instead would cost time in each transaction.
const nap = 50 * time.Millisecond

// sleepUntil sleeps until a time, and returns true. It returns false if the end comes first.
func (c *Crew) sleepUntil(at int64) bool {
	for {
		now := c.now()
		if c.over(now) || now >= at {
			return !c.over(now)
		}
		time.Sleep(min(time.Duration(at-now), nap))
	}
}

// die stops all users with ErrTargetDied, for the reason err.
func (c *Crew) die(err error) { c.stop(fmt.Errorf("%w: %w", ErrTargetDied, err)) }

// together runs do for all users at once, until each is done. It returns ErrInterrupted if the context is done first,
// or else the error with which a user has stopped all, if any. After an interruption, calls in progress have
// result.Grace to be answered: without an answer it is unknown whether a write was done.
func (c *Crew) together(ctx context.Context, do func(context.Context, *user)) error {
	calls, stop := context.WithCancelCause(c.calls)
	defer stop(nil)
	c.stop = func(err error) {
		c.endAt(c.now()) // before calls are cut off, so that these do not count as errors of the target
		stop(err)
	}
	defer context.AfterFunc(calls, func() { c.endAt(c.now()) })()
	defer context.AfterFunc(ctx, func() {
		c.endAt(c.now())
		time.AfterFunc(result.Grace, func() { stop(nil) })
	})()
	var working sync.WaitGroup
	for _, u := range c.users {
		working.Go(func() { do(calls, u) })
	}
	working.Wait()
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	return context.Cause(calls)
}

// prepare lets the users insert what they may delete later.
func (c *Crew) prepare(ctx context.Context) error {
	wanted := c.plan.Definition.Prepare
	return c.together(ctx, func(calls context.Context, u *user) {
		for n := 0; n < wanted.Orders && u.insert(calls, workload.InsertOrder, &c.prepared.Orders); n++ {
		}
		for n := 0; n < wanted.Customers && u.insert(calls, workload.InsertCustomer, &c.prepared.Customers); n++ {
		}
	})
}

// schedule sets the times of a run whose ramp begins now, and makes the queue of an open model.
func (c *Crew) schedule() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begin = c.now() + int64(c.plan.Ramp)
	c.end.Store(math.MaxInt64)
	if c.plan.Duration > 0 {
		c.end.Store(c.begin + int64(c.plan.Duration))
	}
	if c.arrivals = nil; c.plan.Rate > 0 {
		aSecond := math.Ceil(c.plan.Rate / float64(max(c.plan.Share.Of, 1)))
		c.arrivals = &arrivals{due: make(chan int64, max(len(c.users), int(aSecond)))}
	}
}

// work lets the users carry out transactions as scheduled, until the end.
func (c *Crew) work(ctx context.Context) error {
	if c.arrivals == nil {
		return c.together(ctx, func(calls context.Context, u *user) { u.work(calls) })
	}
	var dispatching sync.WaitGroup
	dispatching.Go(c.dispatch)
	err := c.together(ctx, func(calls context.Context, u *user) { u.serve(calls) })
	dispatching.Wait()
	return err
}
