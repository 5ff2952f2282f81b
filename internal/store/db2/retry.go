package db2

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"
)

const (
	firstPause = 2 * time.Millisecond
	maxPause   = 250 * time.Millisecond
	// patience is how long the store tries anew by itself: a restart of the server
	// or a failover takes seconds. What takes longer is for the client to know.
	patience = 10 * time.Second
)

// attempts yields until there is no time left, or the context is done, with
// pauses that grow between; they are drawn at random, so that those who failed
// together do not come back together.
func (s *Store) attempts(ctx context.Context) iter.Seq[int] {
	return func(yield func(int) bool) {
		began := time.Now()
		for n, pause := 0, firstPause; ctx.Err() == nil && yield(n); n, pause = n+1, min(2*pause, maxPause) {
			wait := pause/4 + rand.N(pause)
			deadline, limited := ctx.Deadline()
			if time.Since(began)+wait > patience || limited && time.Until(deadline) < wait {
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
