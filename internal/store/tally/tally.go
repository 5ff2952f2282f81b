// Package tally has the figures of a store, with histograms and cached figures, by which a store measures itself
// without knowing a metrics library.
package tally

import (
	"slices"
	"sync"
)

// A Histogram counts values by buckets. It is safe for concurrent use.
type Histogram struct {
	bounds []float64

	mu     sync.Mutex // counts and sum change together
	counts []uint64
	sum    float64
}

// New returns a histogram with the given upper bounds, in ascending order, and one more bucket for what is larger.
func New(bounds ...float64) *Histogram {
	return &Histogram{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
}

// Add counts a value.
func (h *Histogram) Add(value float64) {
	bucket, _ := slices.BinarySearch(h.bounds, value)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts[bucket]++
	h.sum += value
}

// A Distribution is what a histogram has counted.
type Distribution struct {
	Bounds []float64 // of the buckets, but the last
	Counts []uint64  // by bucket
	Sum    float64
}

// Distribution returns what was counted so far.
func (h *Histogram) Distribution() Distribution {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Distribution{Bounds: h.bounds, Counts: slices.Clone(h.counts), Sum: h.sum}
}

// Count returns the number of values.
func (d Distribution) Count() (n uint64) {
	for _, count := range d.Counts {
		n += count
	}
	return n
}
