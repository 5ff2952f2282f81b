package db2

import (
	"context"
	"database/sql"
	"time"

	"brokerage/internal/store/bulk"
	"brokerage/internal/store/tally"
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

const (
	// statsPatience is how long Stats waits for the server, twice at most. A look at a
	// store must not hang where the store does.
	statsPatience = 250 * time.Millisecond
	// estimatesAge is how old what the server says of its tables may be.
	estimatesAge = time.Minute
	// answerWithin is when a question is given up, which here means the connection.
	answerWithin = 5 * time.Second
)

// pages are the server's counts.
type pages struct{ hits, misses int64 }

// lookAt makes ready what Stats asks for.
func (s *Store) lookAt() {
	s.pages = tally.Asked[pages]{Ask: s.countPages, Patience: statsPatience, Within: answerWithin}
	s.kinds = tally.Asked[bulk.Estimates]{Ask: s.estimate, Every: estimatesAge, Patience: statsPatience, Within: answerWithin}
}

// Stats looks at the store. When the server does not say at once what it has
// counted, its counts are those of the last time; where it may not be asked, they
// are zero.
func (s *Store) Stats() Stats {
	pool := s.db.Stats() // before its own look takes a connection
	counted := s.pages.Look()
	return Stats{
		Connections: pool.MaxOpenConnections, Open: pool.OpenConnections, InUse: pool.InUse,
		Waits: pool.WaitCount, Waited: pool.WaitDuration, Retries: s.retries.Load(), Lost: s.lost.Load(),
		Hits: counted.hits, Misses: counted.misses, Kinds: s.kinds.Look(),
	}
}

func (s *Store) countPages(ctx context.Context) (p pages, err error) {
	var asked, read int64
	_, err = row(ctx, s.db, "count_pages", nil, []any{&asked, &read})
	p = pages{hits: asked - read, misses: read}
	// A page that is being read was asked for already: hits may be less when it has
	// come. A count that goes back would be taken for one that began anew.
	if before := s.counted; asked >= before.hits+before.misses {
		p.hits, p.misses = max(p.hits, before.hits), max(p.misses, before.misses)
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
	return all, s.eachTable(ctx, "space", func(rows *sql.Rows) error {
		name, data, _, err := spaceOf(rows)
		if kind, is := kindOf(name); is {
			all[kind].Stored = data
		}
		return err
	})
}
