// Package tally counts how large something was, by classes, so that a store can
// tell its distribution without knowing who asks for it.
package tally

import (
	"slices"
	"sync"
)

// Tally counts values by the class that they fall in. It is safe for concurrent use.
type Tally struct {
	bounds []float64

	mu     sync.Mutex // the counts and their sum belong together
	counts []uint64
	sum    float64
}

// New makes one with the upper bounds of its classes, which rise; behind the last
// there is one more class, for what is larger.
func New(bounds ...float64) *Tally {
	return &Tally{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
}

// Add counts a value.
func (t *Tally) Add(value float64) {
	class, _ := slices.BinarySearch(t.bounds, value)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[class]++
	t.sum += value
}

// Distribution is what a tally has counted.
type Distribution struct {
	Bounds []float64 // of the classes, but for the last
	Counts []uint64  // by class
	Sum    float64
}

// Distribution gives what was counted so far.
func (t *Tally) Distribution() Distribution {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Distribution{Bounds: t.bounds, Counts: slices.Clone(t.counts), Sum: t.sum}
}

// Count is how many values there were.
func (d Distribution) Count() (n uint64) {
	for _, count := range d.Counts {
		n += count
	}
	return n
}
