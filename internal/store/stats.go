package store

import (
	"slices"
	"sync"
	"time"
)

// Stats are the figures of a store. Counts begin when it is opened, except a server's page hits and misses. What a
// store does not have is zero or empty.
type Stats struct {
	Connections int // limit; of the embedded store: for reading
	Open, InUse int // of them
	Waits       int64
	Waited      time.Duration // for a connection, all together

	Commits int64         // each of one or more writes
	Writes  int64         // that wait for their commit now
	Groups  Distribution  // how many writes shared a commit
	Flushes Distribution  // seconds of a commit, most of them the flush to disk
	Busy    time.Duration // of the writer

	Hits, Misses         int64 // only of the embedded store: reads from a kept snapshot, and other reads
	PageHits, PageMisses int64 // of the database's own cache

	// Only of the embedded store: the page hits and misses of the connection for writing, which PageHits and PageMisses
	// include, and the pages that this connection has written.
	WriterPageHits, WriterPageMisses, PageWrites int64

	// Replicas is empty for a store without replicas. PrimaryReads and Fallbacks are counted only with replicas.
	Replicas     []ReplicaStats
	PrimaryReads int64            // reads that were left to the primary
	Fallbacks    map[string]int64 // those of PrimaryReads that a replica might have answered, by reason

	Retries       map[string]int64 // by cause
	Kinds         []KindStats
	File, Journal int64            // bytes
	IDsLeft       map[string]int64 // that can still be leased, by kind; nil while they are not known
}

// KindStats are the figures of the documents of a kind.
type KindStats struct {
	Kind              string
	Known             bool  // Documents and Stored are known; the embedded store needs a census for them
	Documents, Stored int64 // stored now, and their bytes
	// Estimated is set if Documents and Stored are estimates of a server, which packs by itself: Packed is then 0.
	Estimated bool
	// Packed counts packed documents, even if refused later; PackedFrom and PackedTo are their bytes before and after.
	Packed, PackedFrom, PackedTo int64
}

// ReplicaStats are the figures of a replica.
type ReplicaStats struct {
	Name       string
	InRotation bool  // it gets reads
	Reads      int64 // that it has answered
	Known      bool  // it has been reached, so that the rest is known
	LagBytes   int64 // of the log that it has not replayed
	Age        time.Duration
}

// A Histogram counts values by buckets. It is safe for concurrent use.
type Histogram struct {
	bounds []float64

	mu     sync.Mutex // counts and sum change together
	counts []uint64
	sum    float64
}

// NewHistogram returns a histogram with the given upper bounds, in ascending order, and one more bucket for what is
// larger.
func NewHistogram(bounds ...float64) *Histogram {
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
	Bounds []float64 // upper bounds of all buckets but the last
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
