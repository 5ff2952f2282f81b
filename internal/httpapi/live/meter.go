package live

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"brokerage/internal/telemetry"
	"brokerage/internal/tpox"
)

// The endings of a request, by its status.
const (
	ok      = iota
	refused // 4xx
	failed  // 5xx, overload included
	endings
)

// other is the index of all operations that are not transactions.
const other = len(tpox.Transactions)

// shards is the number of copies of the counts, which keep concurrent requests from contending for a cache line.
const shards = 8

// A meter counts requests that have ended. Its counts never decrease except by wrapping around at 2^32: subtract two
// readings to get what happened between them.
type meter struct {
	on       atomic.Bool
	indexes  map[string]int // of the transactions, by name
	shards   [shards]shard
	refusals [len(telemetry.Reasons)]atomic.Uint32
}

type shard struct {
	cells [other + 1]cell
	_     [64]byte // puts the next shard on another cache line
}

// A cell counts one transaction.
type cell struct {
	ended [endings]atomic.Uint32
	times [buckets]atomic.Uint32 // of those that succeeded
}

func newMeter() *meter {
	m := &meter{indexes: make(map[string]int, other)}
	for i, t := range tpox.Transactions {
		m.indexes[t.Name] = i
	}
	return m
}

// Observe counts a request that has ended, and its duration if it succeeded.
func (m *meter) Observe(transaction string, status int, took time.Duration) {
	if c := m.count(transaction, status); c != nil && status < http.StatusBadRequest {
		c.times[bucketOf(took)].Add(1)
	}
}

// Count counts a request that has ended without its duration: a probe or a page.
func (m *meter) Count(transaction string, status int) { m.count(transaction, status) }

// count counts a request that has ended, and returns its cell, or nil while nobody watches.
func (m *meter) count(transaction string, status int) *cell {
	if !m.on.Load() {
		return nil
	}
	index, known := m.indexes[transaction]
	if !known {
		index = other
	}
	c := &m.shards[rand.Uint32()%shards].cells[index]
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

// Refused counts a request that was refused before the store saw it, for one of telemetry.Reasons.
func (m *meter) Refused(reason string) {
	if i := slices.Index(telemetry.Reasons[:], reason); i >= 0 && m.on.Load() {
		m.refusals[i].Add(1)
	}
}

// A reading is all counts at one moment.
type reading struct {
	at    time.Time
	cells [other + 1]struct {
		ended [endings]uint32
		times [buckets]uint32
	}
	refusals [len(telemetry.Reasons)]uint32
}

// read adds up the shards. A request that ends meanwhile is counted in this reading or in the next one.
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
	for i := range r.refusals {
		r.refusals[i] = m.refusals[i].Load()
	}
	return r
}
