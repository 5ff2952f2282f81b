package drive

import (
	"context"
	"math"
	"time"

	"brokerage/internal/probe"
	"brokerage/internal/result"
)

// Sliced is what the users have done in a slice.
type Sliced struct {
	Records []result.Record
	Lost    int64         // arrivals that were never begun
	Late    time.Duration // the longest delay of the load generator's clock
}

// Slice lets the users work for length, waits for the answers, and returns the records of what was begun or, in the
// open model, due in that time. The rate is in arrivals a second; 0 selects the closed model. The users' random draws
// start anew from the seed.
func (c *Crew) Slice(ctx context.Context, seed uint64, rate float64, length time.Duration) (s Sliced, err error) {
	c.count = func(records []result.Record) {
		for _, r := range records {
			if r.Outcome.Class != result.Empty {
				s.Records = append(s.Records, r)
			}
		}
	}
	for _, u := range c.users {
		u.Seed(seed)
		u.queued = 0
	}
	c.plan.Seed, c.plan.Rate, c.plan.Ramp, c.plan.Duration = seed, rate, 0, length
	c.patience = time.Second
	stalled := watchClock()
	c.schedule()
	err = c.work(ctx)
	s.Late = stalled()
	if c.arrivals != nil {
		s.Lost = c.arrivals.dropped
	}
	for _, u := range c.users {
		s.Lost += u.queued
	}
	return s, err
}

// waiting returns how many transactions waited at the end of the slice.
func (s *Sliced) waiting() int {
	waiting := int(s.Lost)
	for i := range s.Records {
		if s.Records[i].Waiting {
			waiting++
		}
	}
	return waiting
}

// mostStalled is the longest time by which the clock of the load generator may be late in a slice that counts.
const mostStalled = 100 * time.Millisecond

// Disturbed returns why a slice does not count, "" if it does: others used more of the machine than they may, or the
// clock of the load generator stalled.
func (s *Sliced) Disturbed(others, most float64) string {
	switch {
	case others > most:
		return "other programs used the machine"
	case s.Late > mostStalled:
		return "the clock of the load generator stalled"
	}
	return ""
}

// watchClock sleeps for some milliseconds again and again until stop is called. stop returns the longest delay of a
// wake-up.
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

// CPUSeconds returns the processor time of a service by its metrics, or NaN if it cannot be read.
func (c *Crew) CPUSeconds(ctx context.Context) float64 {
	r, err := c.target.reading(ctx)
	if err != nil || r.process == nil {
		return math.NaN()
	}
	return r.process[probe.UserSeconds] + r.process[probe.SystemSeconds]
}
