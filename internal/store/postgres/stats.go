package postgres

import (
	"context"
	"sync"
	"time"
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
}

// statsPatience is how long Stats waits for the server. A look at a store must not
// hang where the store does.
const statsPatience = 250 * time.Millisecond

// pages are the server's counts as they were last heard of.
type pages struct {
	sync.Mutex

	hits, misses int64
	heard        chan struct{} // closed when the question under way is answered; nil if there is none
}

// Stats looks at the store. When the server does not say at once what it has
// counted, its counts are those of the last time.
func (s *Store) Stats() Stats {
	pool := s.pool.Stat() // before its own look takes a connection
	hits, misses := s.countedPages()
	return Stats{
		Connections: int(pool.MaxConns()),
		Open:        int(pool.TotalConns()),
		InUse:       int(pool.AcquiredConns()),
		Waits:       pool.EmptyAcquireCount(),
		Waited:      pool.EmptyAcquireWaitTime(),
		Retries:     s.retries.Load(),
		Hits:        hits,
		Misses:      misses,
	}
}

func (s *Store) countedPages() (hits, misses int64) {
	p := &s.pages
	p.Lock()
	if p.heard == nil {
		p.heard = make(chan struct{})
		go s.countPages()
	}
	heard := p.heard
	p.Unlock()
	select {
	case <-heard:
	case <-time.After(statsPatience):
	}
	p.Lock()
	defer p.Unlock()
	return p.hits, p.misses
}

// countPages asks the server; its answer is for the next look, if this one does
// not wait for it.
func (s *Store) countPages() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var hits, misses int64
	err := s.pool.QueryRow(ctx, statements["count_pages"]).Scan(&hits, &misses)
	p := &s.pages
	p.Lock()
	defer p.Unlock()
	if err == nil {
		p.hits, p.misses = hits, misses
	}
	close(p.heard)
	p.heard = nil
}
