package drive

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"brokerage/internal/format"
	"brokerage/internal/result"
)

// Run runs a plan against a target. If the run ends early, it returns a result and an error, such as ErrInterrupted
// or ErrTargetDied; if it ends before users prepare, it returns an error alone.
func Run(ctx context.Context, p Plan, t Target) (*result.Run, error) {
	if err := p.late(); err != nil {
		return nil, err
	}
	c, err := connect(ctx, p, t)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	tally := c.tally()
	c.count = func(records []result.Record) {
		for i := range records {
			tally.Add(&records[i])
		}
	}
	if p.Progress != nil {
		defer c.showProgress()()
	}
	if err := c.prepare(ctx); err != nil {
		return c.finish(tally, nil, err)
	}
	if err := p.late(); err != nil {
		return c.finish(tally, nil, err)
	}
	used, err := c.load(ctx, tally)
	return c.finish(tally, used, err)
}

// load lets the users work from Plan.StartAt on, and measures meanwhile.
func (c *Crew) load(ctx context.Context, tally *result.Tally) (used *result.Resources, err error) {
	const before = 2 * time.Second
	for _, at := range []time.Time{c.plan.StartAt.Add(-before), c.plan.StartAt} {
		select {
		case <-time.After(time.Until(at)): // at once, if it is zero
		case <-ctx.Done():
			return nil, ErrInterrupted
		}
		if c.plan.StartAt.IsZero() {
			break
		}
		if at.Before(c.plan.StartAt) { // a service may have closed connections that were idle
			err := c.together(ctx, func(calls context.Context, u *user) { _ = u.session.ping(calls) })
			if err != nil {
				return nil, err
			}
		}
	}
	if c.plan.Begun != nil {
		c.mu.Lock() // it prints, as Progress does
		c.plan.Begun(c.Run)
		c.mu.Unlock()
	}
	c.Run.Started = time.Now().UTC()
	c.patience = result.Grace
	c.schedule()
	var measuring sync.WaitGroup
	measuring.Go(func() { used = c.measure(context.WithoutCancel(ctx), tally) })
	err = c.work(ctx)
	c.endAt(c.now())
	measuring.Wait()
	return used, err
}

// measure waits for the end of the ramp. From then on it samples resources, breaks the target if it is to be broken,
// and reports intervals until the end.
func (c *Crew) measure(ctx context.Context, tally *result.Tally) *result.Resources {
	if !c.sleepUntil(c.begin) {
		return nil
	}
	sampler := c.startSampling(ctx)
	defer c.breakTarget(ctx)()
	every := c.plan.Every
	if every == 0 {
		every = math.MaxInt64 / 2
	}
	for at := every; c.sleepUntil(c.begin + int64(at)); at += every {
		// After a stall, one interval covers all that have ended.
		if late := time.Duration(c.now() - c.begin).Truncate(every); !c.over(c.begin + int64(late)) {
			at = max(at, late)
		}
		c.mu.Lock()
		if i := tally.Cut(at); c.plan.Report != nil {
			c.plan.Report(i)
		}
		c.mu.Unlock()
	}
	return sampler.end(ctx)
}

// showProgress calls Plan.Progress each second until it is stopped.
func (c *Crew) showProgress() (stop func()) {
	ticker, stopped := time.NewTicker(time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				c.mu.Lock()
				c.plan.Progress(c.progress())
				c.mu.Unlock()
			case <-stopped:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		stopped <- struct{}{}
	}
}

// progress returns the state of the run in one line.
func (c *Crew) progress() string {
	switch now := c.now(); {
	case c.begin == math.MaxInt64:
		prepare := c.plan.Definition.Prepare
		done, all := c.prepared.Orders+c.prepared.Customers, int64(len(c.users)*(prepare.Orders+prepare.Customers))
		if done >= all {
			return "waiting for the start"
		}
		return fmt.Sprintf("users prepare: %s of %s documents", format.Count(done), format.Count(all))
	case now < c.begin:
		return fmt.Sprintf("warming up, %s left", format.Duration(time.Duration(c.begin-now)))
	case c.plan.Count > 0:
		return "measuring " + format.Plural(c.plan.Count, "transaction")
	default:
		return fmt.Sprintf("measuring, %s left", format.Duration(max(0, time.Duration(c.end.Load()-now))))
	}
}

// finish completes the result with what was measured, and returns it with the error that ended the run early, if any.
func (c *Crew) finish(tally *result.Tally, used *result.Resources, ended error) (*result.Run, error) {
	run := c.Run
	if measured := time.Duration(c.end.Load() - c.begin); measured > 0 {
		run.Measured, run.Warmed = measured.Seconds(), c.plan.Ramp.Seconds()
		tally.Cut(measured)
		run.Usage = usage(used, run.Target, run.Machine.Cores)
		run.Resources = used
	}
	run.Usage.Shared = run.Target.Kind == result.Direct
	if p := c.prepared; p.Orders > 0 || p.Customers > 0 || len(p.Unexpected) > 0 {
		run.Prepared = &p
	}
	if a := c.arrivals; a != nil {
		run.Arrivals = &result.Arrivals{Due: a.counted, Dropped: a.dropped}
		for _, u := range c.users {
			run.Arrivals.Queued += u.queued
			run.Arrivals.Late += u.late
		}
		run.Arrivals.Started = a.counted - a.dropped - run.Arrivals.Queued
	}
	if c.plan.Ledger != nil {
		run.Proof = &result.Proof{}
	}
	if c.brokenAt.Load() != 0 {
		run.Break = &c.broken
	}
	run.Ended = ending(ended)
	tally.Finish(run)
	return run, ended
}

// ending returns how a run ended: complete, or early because of an error.
func ending(err error) result.Ending {
	switch {
	case err == nil:
		return result.Complete
	case errors.Is(err, ErrTargetDied):
		return result.TargetDied
	default:
		return result.Interrupted
	}
}
