package drive

import (
	"math"
	"math/rand/v2"
	"time"
)

// arrivals is the schedule of an open model: when transactions are due, however long the answers take. A free user
// takes the next one; while no user is free, arrivals wait, and the waiting is part of their time.
type arrivals struct {
	due   chan int64
	rate  float64 // of all load generators together, a nanosecond
	ramp  float64 // nanoseconds
	from  int64
	next  float64    // the position of the next arrival among those of all load generators, from 0
	step  float64    // to the one after it; its mean, if it is drawn
	drawn *rand.Rand // nil for even arrivals

	counted int64 // due in the measured time,
	dropped int64 // and of these, the ones that were dropped because the queue was full
}

// newArrivals returns a schedule with a queue of one second, since clients do not wait longer than that. The shares of
// a load take even arrivals in turn; independent Poisson arrivals of several shares are Poisson arrivals together.
func newArrivals(p *Plan, users int) *arrivals {
	parts, number := max(p.Share.Of, 1), max(p.Share.Number, 1)
	queue := max(users, int(math.Ceil(p.Rate/float64(parts))))
	a := &arrivals{due: make(chan int64, queue), rate: p.Rate / 1e9, ramp: float64(p.Ramp), step: float64(parts)}
	if p.Arrivals == Even {
		a.next = float64(number - 1)
		return a
	}
	a.drawn = rand.New(rand.NewPCG(p.Seed, uint64(number))) //nolint:gosec // not below 0
	a.advance()
	return a
}

// advance goes on to the next arrival.
func (a *arrivals) advance() {
	if a.drawn == nil {
		a.next += a.step
	} else {
		a.next += a.step * a.drawn.ExpFloat64()
	}
}

// tick is the resolution of the schedule. Arrivals of one tick are due at once, so that the generator wakes up once for
// all of them: at some thousands a second, waking up costs more processor time than everything else about a request.
// Because the schedule itself has this resolution, times still count from when a transaction was due.
const tick = int64(time.Millisecond)

// at returns when the next arrival is due, in nanoseconds since the beginning. During the ramp the rate grows evenly
// from 0, so the number of arrivals is rate·t²/(2·ramp).
func (a *arrivals) at() int64 {
	inRamp := a.rate * a.ramp / 2
	exact := a.ramp + (a.next-inRamp)/a.rate
	if a.next < inRamp {
		exact = math.Sqrt(2 * a.next * a.ramp / a.rate)
	}
	return (int64(exact) + tick - 1) / tick * tick
}

// dispatch queues arrivals when they are due, until the run ends. With a Count, the last of them ends it.
func (d *driver) dispatch() {
	a := d.arrivals
	defer close(a.due)
	s := newSleeper()
	defer s.close()
	for ; ; a.advance() {
		due := a.from + a.at()
		for now := d.now(); now < due && !d.over(now); now = d.now() {
			s.sleep(min(time.Duration(due-now), nap))
		}
		if d.over(due) {
			return
		}
		counts := due >= d.begin.Load()
		if counts {
			a.counted++
			d.taken.Store(a.counted)
		}
		select {
		case a.due <- due:
		default:
			if counts {
				a.dropped++
			}
		}
		if counts && a.counted == d.plan.Count {
			d.end.Store(min(d.end.Load(), max(due, d.now())+tick))
			close(d.complete)
			return
		}
	}
}
