package postgres

import (
	"context"
	"fmt"
	"time"

	"brokerage/internal/tpox"
)

// An outage is a time during which the server cannot be reached. All requests share what is known of it: one goroutine
// tries to connect, requests wait until it succeeds or the outage is as old as patience, and later ones fail at once.
type outage struct {
	began time.Time
	cause error
	over  chan struct{} // closed when endOutage ends
}

// probeInterval is the time between two attempts to connect to a server that is down.
const probeInterval = 500 * time.Millisecond

// endOutage tries to connect until it succeeds or the store is closed.
func (s *Store) endOutage(o *outage) {
	defer close(o.over)
	defer s.outage.Store(nil)
	for {
		ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
		conn, err := s.pool.Acquire(ctx)
		if err == nil {
			err = conn.Ping(ctx)
			conn.Release()
		}
		cancel()
		if err == nil {
			return
		}
		select {
		case <-s.closed:
			return
		case <-time.After(probeInterval):
		}
	}
}

// awaitServer returns nil when no outage is known, waits for the end of one that has just begun, and returns
// *tpox.Unavailable for one that lasts.
func (s *Store) awaitServer(ctx context.Context) error {
	o := s.outage.Load()
	if o == nil {
		return nil
	}
	refusal := &tpox.Unavailable{Cause: fmt.Errorf("the server has been down since %s: %w",
		o.began.UTC().Format(time.TimeOnly), o.cause)}
	select {
	case <-o.over:
		return nil
	case <-time.After(patience - time.Since(o.began)):
		return refusal
	case <-ctx.Done():
		return ctx.Err()
	}
}
