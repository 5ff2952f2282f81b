package live

import (
	"math/rand/v2"
	"net/http"
	"slices"
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

// shards keep requests that end at the same time out of each other's way. More
// than a few do nothing any more: an end takes nanoseconds of a request.
const shards = 8

// meter counts the ends of requests. Its counts only grow, and wrap around; what
// they grow by between two readings is what happened there.
type meter struct {
	on      atomic.Bool
	places  map[string]int // of the transactions, by name
	shards  [shards]shard
	reasons []string // why requests are refused before the store sees them
	why     []atomic.Uint32
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

func newMeter(reasons []string) *meter {
	m := &meter{places: make(map[string]int, other), reasons: reasons, why: make([]atomic.Uint32, len(reasons))}
	for i, t := range brokerage.Transactions {
		m.places[t.Name] = i
	}
	return m
}

// observe counts a request that has ended, and its time if it ended well.
func (m *meter) observe(transaction string, status int, took time.Duration) {
	if c := m.count(transaction, status); c != nil && status < http.StatusBadRequest {
		c.times[bucketOf(took)].Add(1)
	}
}

// count counts a request that has ended, and returns where; nil while nobody watches.
func (m *meter) count(transaction string, status int) *cell {
	if !m.on.Load() {
		return nil
	}
	place, known := m.places[transaction]
	if !known {
		place = other
	}
	c := &m.shards[rand.Uint32()%shards].cells[place]
	switch {
	case status < http.StatusBadRequest:
		c.ended[ok].Add(1)
	case status < http.StatusInternalServerError:
		c.ended[refused].Add(1)
	default:
		c.ended[failed].Add(1)
	}
	return c
}

func (m *meter) refused(reason string) {
	if !m.on.Load() {
		return
	}
	if i := slices.Index(m.reasons, reason); i >= 0 {
		m.why[i].Add(1)
	}
}

// reading is all counts at one moment.
type reading struct {
	at    time.Time
	cells [other + 1]struct {
		ended [endings]uint32
		times [buckets]uint32
	}
	why []uint32
}

// read adds up the shards. Requests go on to end meanwhile: each is counted in
// this reading or the next one.
func (m *meter) read() *reading {
	r := &reading{at: time.Now(), why: make([]uint32, len(m.why))}
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
