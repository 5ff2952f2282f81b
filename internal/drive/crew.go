package drive

import (
	"context"
	"errors"
	"time"

	"brokerage/internal/result"
	"brokerage/internal/workload"
)

// A Crew keeps the users of a workload and their connections from one slice of time to the next, for a comparison in
// which they are idle while another target is measured.
type Crew struct {
	Run *result.Run // describes the target and the plan; it has no figures

	driver *driver
	calls  context.Context //nolint:containedctx // that of the connections, which outlive each slice
	cancel context.CancelFunc
}

// Gather connects the users of a plan to a target and lets them prepare. Plan.Duration is how long all slices together
// may take; ramp, think times and shares are not for slices.
func Gather(ctx context.Context, p Plan, t Target) (_ *Crew, err error) {
	c := &Crew{}
	c.calls, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if c.driver, c.Run, err = prepare(ctx, c.calls, p, t); err != nil {
		c.cancel()
		return nil, err
	}
	if err := c.together(ctx, func(calls context.Context, u *user) { u.prepare(calls) }); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Mix returns the transactions that the users draw; records have its indexes.
func (c *Crew) Mix() []workload.Mixed { return c.driver.crowd.Mix() }

// Slice lets the users work for a time and returns the records of what they have begun in it, after waiting for the
// answers. Users draw what the seed gives, from the beginning.
func (c *Crew) Slice(ctx context.Context, seed uint64, length time.Duration) ([]result.Record, error) {
	d := c.driver
	d.records = make(chan *batch, batchQueue)
	for _, u := range d.users {
		u.Seed(seed)
	}
	var records []result.Record
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		for b := range d.records {
			for _, r := range b.records {
				if r.Outcome.Class != result.Empty {
					records = append(records, r)
				}
			}
			batches.Put(b)
		}
	}()
	begin := d.now()
	if d.plan.Rate > 0 {
		p := d.plan
		p.Ramp, p.Seed = 0, seed
		d.arrivals = newArrivals(&p, len(d.users))
		d.arrivals.from = begin
	}
	d.end.Store(begin + int64(length))
	d.begin.Store(begin)
	if d.arrivals != nil {
		go d.dispatch()
	}
	err := c.together(ctx, func(calls context.Context, u *user) { u.transactions(calls) })
	close(d.records)
	<-counted
	return records, err
}

// together lets all users work until each is done, and returns an error if the target died or the context is done.
func (c *Crew) together(ctx context.Context, work func(context.Context, *user)) error {
	d := c.driver
	calls, stop := context.WithCancelCause(c.calls)
	defer stop(nil)
	d.stop = stop
	defer context.AfterFunc(ctx, func() { d.end.Store(d.now()) })()
	defer context.AfterFunc(calls, func() { d.end.Store(d.now()) })()
	for _, u := range d.users {
		d.working.Go(func() { work(calls, u) })
	}
	ended := closedAfter(&d.working)
	select {
	case <-ended:
	case <-calls.Done():
	case <-ctx.Done():
		select {
		case <-ended:
		case <-time.After(result.Grace):
		}
	}
	died := context.Cause(calls)
	stop(nil)
	<-ended
	switch {
	case errors.Is(died, ErrTargetDied):
		return died
	case ctx.Err() != nil:
		return ErrInterrupted
	}
	return nil
}

// CPUSeconds returns the processor time of a service as its metrics have it; false if it does not say.
func (c *Crew) CPUSeconds(ctx context.Context) (float64, bool) {
	r, err := c.driver.target.reading(ctx)
	if err != nil || r.process == nil {
		return 0, false
	}
	return r.process.CPUSeconds, true
}

// Close ends the connections.
func (c *Crew) Close() {
	c.cancel()
	c.driver.close()
}
