package sqlite

import "time"

// Stats is what goes on in a store, for metrics. Counts are since it was opened.
type Stats struct {
	Pool, InUse int // connections for reading
	Waits       int64
	Waited      time.Duration // for one of them, all together
	Commits     int64         // each of one or more writes
	Writes      int64         // that wait for their commit now
	Hits        int64         // reads from a snapshot that was kept
	Misses      int64         // reads that needed a new one
}

// Stats looks at the store. It takes no time to speak of, and waits for nobody.
func (s *Store) Stats() Stats {
	return Stats{
		Pool:    s.options.Pool,
		InUse:   s.options.Pool - len(s.readers.free),
		Waits:   s.readers.waits.Load(),
		Waited:  time.Duration(s.readers.waited.Load()),
		Commits: s.writer.groups.Load(),
		Writes:  s.writer.waiting.Load(),
		Hits:    s.readers.hits.Load(),
		Misses:  s.readers.misses.Load(),
	}
}
