package live

import (
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"brokerage/internal/brokerage"
)

// How a request ended, by its status.
const (
	ok      = iota
	refused // 4xx: by the rules, or for its form
	failed  // 5xx: for the service's sake, overload included
	endings
)

// other is the place of all that is none of the 17.
const other = len(brokerage.Transactions)

// reasons are why requests are refused before the store sees them.
var reasons = [...]string{"overloaded", "too_many", "unauthorized", "forbidden"}

// shards keep requests that end at the same time out of each other's way. More
// than a few do nothing any more: an end takes nanoseconds of a request.
const shards = 8

// meter counts the ends of requests. Its counts only grow, and wrap around; what
// they grow by between two readings is what happened there.
type meter struct {
	on     atomic.Bool
	places map[string]int // of the transactions, by name
	shards [shards]shard
	why    [len(reasons)]atomic.Uint32
}

type shard struct {
	cells [other + 1]cell
	_     [64]byte // the next one begins on another cache line
}

// cell is one transaction.
type cell struct {
	ended [endings]atomic.Uint32
	times [buckets]atomic.Uint32 // of those that ended well
}

func newMeter() *meter {
	m := &meter{places: make(map[string]int, other)}
	for i, t := range brokerage.Transactions {
		m.places[t.Name] = i
	}
	return m
}

func (m *meter) observe(transaction string, status int, took time.Duration) {
	if !m.on.Load() {
		return
	}
	place, known := m.places[transaction]
	if !known {
		place = other
	}
	c := &m.shards[rand.Uint32()%shards].cells[place]
	switch {
	case status < http.StatusBadRequest:
		c.ended[ok].Add(1)
		c.times[bucketOf(took)].Add(1)
	case status < http.StatusInternalServerError:
		c.ended[refused].Add(1)
	default:
		c.ended[failed].Add(1)
	}
}

func (m *meter) refused(reason string) {
	if !m.on.Load() {
		return
	}
	for i, r := range reasons {
		if r == reason {
			m.why[i].Add(1)
		}
	}
}

// reading is all counts at one moment.
type reading struct {
	at    time.Time
	cells [other + 1]struct {
		ended [endings]uint32
		times [buckets]uint32
	}
	why [len(reasons)]uint32
}

// read adds up the shards. Requests go on to end meanwhile: each is counted in
// this reading or the next one.
func (m *meter) read() *reading {
	r := &reading{at: time.Now()}
	for s := range m.shards {
		for i := range r.cells {
			from, to := &m.shards[s].cells[i], &r.cells[i]
			for e := range from.ended {
				to.ended[e] += from.ended[e].Load()
			}
			for b := range from.times {
				to.times[b] += from.times[b].Load()
			}
		}
	}
	for i := range r.why {
		r.why[i] = m.why[i].Load()
	}
	return r
}
