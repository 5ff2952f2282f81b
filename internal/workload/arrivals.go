package workload

import (
	"math"
	"time"
)

// arrivals are the schedule of an open model: when transactions are due, however
// long the answers take. Who is free takes the next; where nobody is, they wait,
// and their time counts.
type arrivals struct {
	due     chan int64
	rate    float64 // a nanosecond
	ramp    float64 // nanoseconds
	from    int64
	counted int64 // of those that are due while it is measured: all,
	dropped int64 // and those for which too many were outstanding
}

// newArrivals lets a second's worth of arrivals wait. A client that waits longer
// has gone, and what is longer than that is no queue but a fault.
func newArrivals(rate float64, ramp time.Duration, users int) *arrivals {
	return &arrivals{due: make(chan int64, max(users, int(math.Ceil(rate)))), rate: rate / 1e9, ramp: float64(ramp)}
}

// beat is when arrivals can be due: whole ones of it. Those of one beat are due
// at once and share its waking up, which at some thousands a second costs more
// processor time than all else that a request needs. The schedule has the beat,
// and not only who keeps it: then times are still counted from when a
// transaction was due, and nobody's holds a wait that nobody meant.
const beat = int64(time.Millisecond)

// at is when arrival i is due, from the beginning. During the ramp the rate
// grows evenly from 0, so the number of arrivals is rate·t²/(2·ramp).
func (a *arrivals) at(i int64) int64 {
	n, inRamp := float64(i), a.rate*a.ramp/2
	exact := a.ramp + (n-inRamp)/a.rate
	if n < inRamp {
		exact = math.Sqrt(2 * n * a.ramp / a.rate)
	}
	return (int64(exact) + beat - 1) / beat * beat
}

// perProcessor is how many arrivals a second a load generator takes a processor
// for: a third of what one can do over HTTP.
const perProcessor = 10_000

// processors is how many of a machine's a load generator uses. Where arrivals are
// rare, others would be woken for each, to find nothing left to do.
func processors(t Target, rate float64, cores int) int {
	if t.Kind == directTarget || rate == 0 {
		return cores // for the store; or to be as fast as can be
	}
	return min(cores, 1+int(rate/perProcessor))
}

// nap is the longest that dispatch sleeps: a run may end before its time.
const nap = int64(50 * time.Millisecond)

// dispatch lets arrivals in when they are due, until the run ends.
func (d *driver) dispatch() {
	a := d.arrivals
	defer close(a.due)
	s := newSleeper()
	defer s.close()
	for i := int64(0); ; i++ {
		due := a.from + a.at(i)
		for now := d.now(); now < due && now < d.end.Load(); now = d.now() {
			s.sleep(time.Duration(min(due-now, nap)))
		}
		if due >= d.end.Load() {
			return
		}
		counts := due >= d.begin.Load()
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
