package postgres

import "time"

// Stats is what goes on in a store, for metrics.
type Stats struct {
	Connections int // at most
	Open, InUse int // of them
	Waits       int64
	Waited      time.Duration // for a connection, all together
	Retries     int64         // of what was done again, since the store was opened
}

// Stats looks at the store. It takes no time to speak of, and waits for nobody.
func (s *Store) Stats() Stats {
	pool := s.pool.Stat()
	return Stats{
		Connections: int(pool.MaxConns()),
		Open:        int(pool.TotalConns()),
		InUse:       int(pool.AcquiredConns()),
		Waits:       pool.EmptyAcquireCount(),
		Waited:      pool.EmptyAcquireWaitTime(),
		Retries:     s.retries.Load(),
	}
}
