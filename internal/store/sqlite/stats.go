package sqlite

import (
	"os"
	"time"

	"brokerage/internal/store/tally"
)

// Stats are the figures of a store, for metrics. Counts begin when it is opened.
type Stats struct {
	Pool, InUse int           // connections for reading
	Waits       int64         // reads that had to wait for a connection
	Waited      time.Duration // by all of them

	Commits int64              // each of one or more writes
	Writes  int64              // that wait for their commit now
	Groups  tally.Distribution // writes of a commit
	Flushes tally.Distribution // seconds of a commit, most of them the flush to disk
	Busy    time.Duration      // of the one goroutine that writes
	Redone  int64              // writes that were planned again because a document had changed meanwhile

	Hits       int64 // reads from a kept snapshot
	Misses     int64 // reads from a new snapshot
	PageHits   int64 // pages that SQLite found in its cache
	PageMisses int64 // pages that it read from the operating system

	Kinds         []KindStats
	File, Journal int64 // bytes
}

// KindStats are the documents of a kind.
type KindStats struct {
	Kind              string
	Known             bool  // there was a census: Documents and Stored are known
	Documents, Stored int64 // stored now, and their bytes as they are packed
	// Packed counts the documents that were packed, from PackedFrom to PackedTo bytes, those refused afterwards too.
	Packed, PackedFrom, PackedTo int64
}

func newSizes() *tally.Histogram { return tally.New(1, 2, 4, 8, 16, 32, 64, 128, maxGroup) }

func newCommits() *tally.Histogram {
	return tally.New(.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10)
}

// Stats returns the figures of the store. It takes microseconds and waits for no other work.
func (s *Store) Stats() Stats {
	s.readers.countPages()
	stats := Stats{
		Pool:       s.options.Pool,
		InUse:      s.options.Pool - len(s.readers.free),
		Waits:      s.readers.waits.Load(),
		Waited:     time.Duration(s.readers.waited.Load()),
		Commits:    s.writer.groups.Load(),
		Writes:     s.writer.waiting.Load(),
		Groups:     s.writer.sizes.Distribution(),
		Flushes:    s.writer.commits.Distribution(),
		Busy:       time.Duration(s.writer.busy.Load()),
		Redone:     s.redone.Load(),
		Hits:       s.readers.hits.Load(),
		Misses:     s.readers.misses.Load(),
		PageHits:   s.readers.pages.hits.Load() + s.writer.pages.hits.Load(),
		PageMisses: s.readers.pages.misses.Load() + s.writer.pages.misses.Load(),
		File:       sizeOf(s.path),
		Journal:    sizeOf(s.path + "-wal"),
	}
	there, known := s.census.now()
	for i, k := range kinds {
		p := &s.packed[i]
		stats.Kinds = append(stats.Kinds, KindStats{
			Kind: string(k), Known: known, Documents: there.documents[i], Stored: there.bytes[i],
			Packed: p.documents.Load(), PackedFrom: p.raw.Load(), PackedTo: p.stored.Load(),
		})
	}
	return stats
}

// sizeOf returns the bytes of a file; 0 if there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
