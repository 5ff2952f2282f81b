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

// at is when arrival i is due, from the beginning. During the ramp the rate
// grows evenly from 0, so the number of arrivals is rate·t²/(2·ramp).
func (a *arrivals) at(i int64) int64 {
	inRamp := a.rate * a.ramp / 2
	if n := float64(i); n < inRamp {
		return int64(math.Sqrt(2 * n * a.ramp / a.rate))
	} else { //nolint:revive // the two halves of a formula
		return int64(a.ramp + (n-inRamp)/a.rate)
	}
}

// nap is the longest that dispatch sleeps: a run may end before its time.
const nap = int64(50 * time.Millisecond)

// dispatch lets arrivals in when they are due, until the run ends.
func (d *driver) dispatch() {
	a := d.arrivals
	defer close(a.due)
	for i := int64(0); ; i++ {
		due := a.from + a.at(i)
		for now := d.now(); now < due && now < d.end.Load(); now = d.now() {
			sleepPrecisely(time.Duration(min(due-now, nap)))
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
