package sqlite

import (
	"os"
	"time"

	"brokerage/internal/store/tally"
)

// Stats is what goes on in a store, for metrics. Counts are since it was opened.
type Stats struct {
	Pool, InUse int // connections for reading
	Waits       int64
	Waited      time.Duration // for one of them, all together

	Commits int64              // each of one or more writes
	Writes  int64              // that wait for their commit now
	Groups  tally.Distribution // how many writes shared a commit
	Flushes tally.Distribution // how long a commit took, most of it the flush to disk; in seconds
	Busy    time.Duration      // of the one goroutine that writes
	Redone  int64              // writes whose document another changed while they were worked on

	Hits       int64 // reads from a snapshot that was kept
	Misses     int64 // reads that needed a new one
	PageHits   int64 // pages that SQLite had in its cache
	PageMisses int64 // and that it had to ask the operating system for

	Kinds         []KindStats
	File, Journal int64 // bytes
}

// KindStats are the documents of a kind.
type KindStats struct {
	Kind string
	// Known tells that there was a census, which the next two need.
	Known             bool
	Documents, Stored int64 // that are there now, and their bytes as they are stored
	// Packed is how many documents were packed, from and to how many bytes: also
	// those that were refused afterwards.
	Packed, PackedFrom, PackedTo int64
}

func newSizes() *tally.Tally { return tally.New(1, 2, 4, 8, 16, 32, 64, 128, maxGroup) }

func newCommits() *tally.Tally {
	return tally.New(.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10)
}

// Stats looks at the store. It takes no time to speak of, and waits for nobody.
func (s *Store) Stats() Stats {
	s.readers.look()
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

// sizeOf is how large a file is; nothing, if it is not there.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
