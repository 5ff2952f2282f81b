package workload

import (
	"math"
	"time"
)

// arrivals is the schedule of an open model: when transactions are due, however long the answers take. A free user
// takes the next one; while no user is free, arrivals wait, and the waiting is part of their time.
type arrivals struct {
	due     chan int64
	first   int64   // arrival of this load generator, of all load generators together
	step    int64   // to its next arrival
	rate    float64 // a nanosecond
	ramp    float64 // nanoseconds
	from    int64
	counted int64 // due in the measured time,
	dropped int64 // and of these, the ones that were dropped because the queue was full
}

// newArrivals returns a schedule with a queue of one second, since clients do not wait longer than that. The shares of
// a load take its arrivals in turn.
func newArrivals(rate float64, ramp time.Duration, users int, share Share) *arrivals {
	parts := max(share.Of, 1)
	queue := max(users, int(math.Ceil(rate/float64(parts))))
	return &arrivals{
		due: make(chan int64, queue), first: int64(max(share.Number, 1) - 1), step: int64(parts),
		rate: rate / 1e9, ramp: float64(ramp),
	}
}

// tick is the resolution of the schedule. Arrivals of one tick are due at once, so that the generator wakes up once for
// all of them: at some thousands a second, waking up costs more processor time than everything else about a request.
// Because the schedule itself has this resolution, times still count from when a transaction was due.
const tick = int64(time.Millisecond)

// at returns when arrival i is due, in nanoseconds since the beginning. During the ramp the rate grows evenly from 0,
// so the number of arrivals is rate·t²/(2·ramp).
func (a *arrivals) at(i int64) int64 {
	n, inRamp := float64(i), a.rate*a.ramp/2
	exact := a.ramp + (n-inRamp)/a.rate
	if n < inRamp {
		exact = math.Sqrt(2 * n * a.ramp / a.rate)
	}
	return (int64(exact) + tick - 1) / tick * tick
}

// perProcessor is the number of arrivals a second for which a load generator uses one processor: a third of what one
// can do over HTTP.
const perProcessor = 10_000

// processors returns how many of a machine's processors a load generator uses. With few arrivals, more would wake up
// for each of them and find nothing left to do.
func processors(t Target, rate float64, cores int) int {
	if t.Kind == directTarget || rate == 0 {
		return cores // the store needs them, or the closed model is to be as fast as possible
	}
	return min(cores, 1+int(rate/perProcessor))
}

// dispatch queues arrivals when they are due, until the run ends.
func (d *driver) dispatch() {
	a := d.arrivals
	defer close(a.due)
	s := newSleeper()
	defer s.close()
	for i := a.first; ; i += a.step {
		due := a.from + a.at(i)
		for now := d.now(); now < due && !d.over(now); now = d.now() {
			s.sleep(min(time.Duration(due-now), nap))
		}
		if d.over(due) {
			return
		}
		counts := due >= d.begin.Load()
		if counts && d.config.Count > 0 && a.counted == d.config.Count {
			return
		}
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
	}
}
