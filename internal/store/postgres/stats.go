package postgres

import (
	"context"
	"slices"
	"time"

	"brokerage/internal/store/bulk"
)

// Stats is what goes on in a store, for metrics.
type Stats struct {
	Connections int // at most
	Open, InUse int // of them
	Waits       int64
	Waited      time.Duration // for a connection, all together
	Retries     int64         // of what was done again, since the store was opened

	// Hits are the pages of the database that its server found among those that it
	// keeps (shared_buffers), Misses those that it asked the system for, whose cache
	// may have had them. They are the server's counts, of all clients of the
	// database, and reach it up to a second late.
	Hits, Misses int64

	// Kinds are the planner's estimates.
	Kinds bulk.Estimates
}

// Stats looks at the store. When the server does not say at once what it has
// counted, its counts are those of the last time.
func (s *Store) Stats() Stats {
	pool := s.pool.Stat() // before its own look takes a connection
	counted := s.figures.Pages.Look()
	return Stats{
		Connections: int(pool.MaxConns()),
		Open:        int(pool.TotalConns()),
		InUse:       int(pool.AcquiredConns()),
		Waits:       pool.EmptyAcquireCount(),
		Waited:      pool.EmptyAcquireWaitTime(),
		Retries:     s.retries.Load(),
		Hits:        counted.Hits,
		Misses:      counted.Misses,
		Kinds:       s.figures.Kinds.Look(),
	}
}

func (s *Store) countPages(ctx context.Context) (p bulk.Pages, err error) {
	err = s.pool.QueryRow(ctx, statements["count_pages"]).Scan(&p.Hits, &p.Misses)
	return p, err
}

func (s *Store) estimate(ctx context.Context) (all bulk.Estimates, err error) {
	rows, err := s.pool.Query(ctx, statements["estimate_documents"])
	if err != nil {
		return all, err
	}
	defer rows.Close()
	for rows.Next() {
		var table string
		var documents *int64
		var bytes int64
		if err := rows.Scan(&table, &documents, &bytes); err != nil {
			return all, err
		}
		if documents != nil {
			all[slices.Index(tableNames[:], table)] = bulk.Estimate{Known: true, Documents: *documents, Stored: bytes}
		}
	}
	return all, rows.Err()
}
