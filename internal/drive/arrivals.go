package drive

import (
	"iter"
	"math"
	"math/rand/v2"
	"time"
)

// arrivals are the transactions of an open model, which are due however long answers take. A free user takes the next
// one; while no user is free, arrivals wait, and the waiting is part of their time.
type arrivals struct {
	due     chan int64 // holds the arrivals of a second, but at least one for each user; more are dropped
	counted int64      // arrivals that were due in the measured time
	dropped int64      // those of counted that were dropped because the queue was full
}

// tick is the resolution of the schedule. Arrivals of one tick are due at once, so that the generator wakes up once for
// all of them: at some thousands a second, waking up costs more processor time than everything else about a request.
// Because the schedule itself has this resolution, times still count from when a transaction was due.
const tick = int64(time.Millisecond)

// dues yields when transactions are due, in nanoseconds since the ramp began. During the ramp the rate grows evenly
// from 0, so the number of arrivals is rate·t²/(2·ramp). The shares of a load take evenly spaced arrivals in turn;
// independent Poisson arrivals of several shares are Poisson arrivals together.
func (p *Plan) dues() iter.Seq[int64] {
	parts, number := max(p.Share.Of, 1), max(p.Share.Number, 1)
	position := float64(number - 1) // among the arrivals of all load generators
	step := func() float64 { return float64(parts) }
	if p.Arrivals != Even {
		random := rand.New(rand.NewPCG(p.Seed, uint64(number))) //nolint:gosec // not below 0
		step = func() float64 { return float64(parts) * random.ExpFloat64() }
		position = step()
	}
	rate, ramp := p.Rate/1e9, float64(p.Ramp)
	return func(yield func(int64) bool) {
		for ; ; position += step() {
			inRamp := rate * ramp / 2
			due := ramp + (position-inRamp)/rate
			if position < inRamp {
				due = math.Sqrt(2 * position * ramp / rate)
			}
			if !yield((int64(due) + tick - 1) / tick * tick) {
				return
			}
		}
	}
}

// dispatch queues arrivals when they are due, until the end. With a Count, it ends the run after that many.
func (c *Crew) dispatch() {
	a, began := c.arrivals, c.begin-int64(c.plan.Ramp)
	defer close(a.due)
	s := newSleeper()
	defer s.close()
	for due := range c.plan.dues() {
		due += began
		for now := c.now(); now < due && !c.over(now); now = c.now() {
			s.sleep(min(time.Duration(due-now), nap))
		}
		if c.over(due) {
			return
		}
		counts := due >= c.begin
		if counts {
			a.counted++
		}
		select {
		case a.due <- due:
		default:
			if counts {
				a.dropped++
			}
		}
		if counts && a.counted == c.plan.Count {
			c.endAt(max(due, c.now()) + tick)
			return
		}
	}
}
