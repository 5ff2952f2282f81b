package db2

import (
	"context"
	"database/sql"
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
	Lost        int64         // connections that were given up

	// Hits are the pages that the server found in its buffer pools, Misses those that
	// it read into them. They are the server's counts since the database was
	// activated, of all its clients.
	Hits, Misses int64

	// Kinds are what the last RUNSTATS has counted.
	Kinds bulk.Estimates
}

// answerWithin is when a question is given up, which here means the connection.
const answerWithin = 5 * time.Second

// Stats looks at the store. When the server does not say at once what it has
// counted, its counts are those of the last time; where it may not be asked, they
// are zero.
func (s *Store) Stats() Stats {
	pool := s.db.Stats() // before its own look takes a connection
	counted := s.figures.Pages.Look()
	return Stats{
		Connections: pool.MaxOpenConnections, Open: pool.OpenConnections, InUse: pool.InUse,
		Waits: pool.WaitCount, Waited: pool.WaitDuration, Retries: s.retries.Load(), Lost: s.lost.Load(),
		Hits: counted.Hits, Misses: counted.Misses, Kinds: s.figures.Kinds.Look(),
	}
}

func (s *Store) countPages(ctx context.Context) (p bulk.Pages, err error) {
	var asked, read int64
	_, err = row(ctx, s.db, "count_pages", nil, []any{&asked, &read})
	p = bulk.Pages{Hits: asked - read, Misses: read}
	// A page that is being read was asked for already: hits may be less when it has
	// come. A count that goes back would be taken for one that began anew.
	if before := s.counted; asked >= before.Hits+before.Misses {
		p.Hits, p.Misses = max(p.Hits, before.Hits), max(p.Misses, before.Misses)
	}
	if err == nil {
		s.counted = p
	}
	return p, err
}

func (s *Store) estimate(ctx context.Context) (all bulk.Estimates, err error) {
	err = s.eachTable(ctx, "estimate_documents", func(rows *sql.Rows) error {
		var name string
		var documents int64
		err := rows.Scan(&name, &documents)
		if kind, is := kindOf(name); is {
			all[kind].Known, all[kind].Documents = documents >= 0, max(0, documents)
		}
		return err
	})
	if err != nil {
		return all, err
	}
	err = s.eachTable(ctx, "space", func(rows *sql.Rows) error {
		name, data, _, err := spaceOf(rows)
		if kind, is := kindOf(name); is {
			all[kind].Stored = data
		}
		return err
	})
	return all, err
}
