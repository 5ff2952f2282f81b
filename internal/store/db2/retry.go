package db2

import (
	"context"
	"database/sql"
	"iter"
	"math/rand/v2"
	"time"
)

const (
	firstPause = 2 * time.Millisecond
	maxPause   = 250 * time.Millisecond
	// retryTimeout is how long the store retries by itself. A restart of the server or a failover takes seconds; longer
	// outages are left to the client.
	retryTimeout = 10 * time.Second
)

// attempts yields the number of each attempt, until retryTimeout has passed or the context is done. The pauses grow,
// and are random so that transactions which failed together do not retry together.
func (s *Store) attempts(ctx context.Context) iter.Seq[int] {
	return func(yield func(int) bool) {
		began := time.Now()
		for n, pause := 0, firstPause; ctx.Err() == nil && yield(n); n, pause = n+1, min(2*pause, maxPause) {
			wait := pause/4 + rand.N(pause)
			deadline, limited := ctx.Deadline()
			if time.Since(began)+wait > retryTimeout || limited && time.Until(deadline) < wait {
				return
			}
			s.retries.Add(1)
			select {
			case <-ctx.Done():
			case <-time.After(wait):
			}
		}
	}
}

// dropIdle closes the idle connections of a pool after one was lost. After a restart of the server all of them are, and
// each would cost an attempt.
func (s *Store) dropIdle(db *sql.DB, err error) {
	if isLost(err) {
		db.SetMaxIdleConns(0)
		db.SetMaxIdleConns(s.settings.Pool)
	}
}
