package drive

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"brokerage/internal/probe"
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

// Sliced is what the users have done in a slice.
type Sliced struct {
	Records []result.Record
	Lost    int64         // arrivals that found the queue full, or that were more than all users at the end
	Late    time.Duration // by which the clock of the load generator was late at most
}

// Slice lets the users work for a time and returns the records of what they have begun in it, after waiting for the
// answers. The rate is that of the open model, in arrivals a second; 0 selects the closed model. Users draw what the
// seed gives, from the beginning.
func (c *Crew) Slice(ctx context.Context, seed uint64, rate float64, length time.Duration) (s Sliced, err error) {
	d := c.driver
	d.records = make(chan *batch, batchQueue)
	for _, u := range d.users {
		u.Seed(seed)
	}
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		for b := range d.records {
			for _, r := range b.records {
				if r.Outcome.Class != result.Empty {
					s.Records = append(s.Records, r)
				}
			}
			batches.Put(b)
		}
	}()
	begin := d.now()
	d.end.Store(begin + int64(length))
	d.begin.Store(begin)
	stalled := watchClock()
	var dispatching sync.WaitGroup
	if d.arrivals = nil; rate > 0 {
		p := d.plan
		p.Ramp, p.Seed, p.Rate = 0, seed, rate
		d.arrivals = newArrivals(&p, len(d.users))
		d.arrivals.from = begin
		dispatching.Go(func() {
			d.dispatch()
			for s.Lost = d.arrivals.dropped; len(d.arrivals.due) > len(d.users); s.Lost++ {
				<-d.arrivals.due
			}
		})
	}
	err = c.together(ctx, func(calls context.Context, u *user) { u.transactions(calls) })
	dispatching.Wait()
	s.Late = stalled()
	close(d.records)
	<-counted
	return s, err
}

// mostStalled is the longest time by which the clock of the load generator may be late in a slice that counts.
const mostStalled = 100 * time.Millisecond

// Disturbed returns why a slice does not count, "" if it does: others used more of the machine than they may, or the
// clock of the load generator stalled.
func (s *Sliced) Disturbed(others, most float64) string {
	switch {
	case others > most:
		return "others used the machine"
	case s.Late > mostStalled:
		return "the clock of the load generator stalled"
	}
	return ""
}

// TooDisturbed reports whether so many slices were disturbed that nothing can be decided.
func TooDisturbed(disturbed, slices int) bool { return slices >= 24 && 2*disturbed > slices }

// watchClock sleeps for some milliseconds again and again until stop is called. stop returns by how much a wake-up was
// late at most.
func watchClock() (stop func() time.Duration) {
	const every = 5 * time.Millisecond
	ended, latest := make(chan struct{}), make(chan time.Duration)
	go func() {
		worst, last := time.Duration(0), time.Now()
		for {
			select {
			case <-ended:
				latest <- worst
				return
			case <-time.After(every):
				now := time.Now()
				worst = max(worst, now.Sub(last)-every)
				last = now
			}
		}
	}()
	return func() time.Duration { close(ended); return <-latest }
}

// together lets all users work until each is done, and returns an error if the target died or the context is done.
func (c *Crew) together(ctx context.Context, work func(context.Context, *user)) error {
	d := c.driver
	calls, stop := context.WithCancelCause(c.calls)
	defer stop(nil)
	d.stop = stop
	defer context.AfterFunc(ctx, func() { d.end.Store(d.now()) })()
	unwatch := context.AfterFunc(calls, func() { d.end.Store(d.now()) })
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
	unwatch() // else it might end the next slice
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

// CPUSeconds returns the processor time of a service as its metrics have it; NaN if it does not say.
func (c *Crew) CPUSeconds(ctx context.Context) float64 {
	r, err := c.driver.target.reading(ctx)
	if err != nil || r.process == nil {
		return math.NaN()
	}
	return r.process[probe.UserSeconds] + r.process[probe.SystemSeconds]
}

// Close ends the connections.
func (c *Crew) Close() {
	c.cancel()
	c.driver.close()
}
