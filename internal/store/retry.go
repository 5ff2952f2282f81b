package store

import (
	"context"
	"iter"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// The pauses between attempts grow from the first one to the longest.
const (
	firstPause = 2 * time.Millisecond
	maxPause   = 250 * time.Millisecond
)

// Attempts yields the number of each attempt at a server, until so much time has passed or the context is done, and
// counts all but the first as retries. The pauses between them are random, so that what failed together is not retried
// together.
func Attempts(ctx context.Context, timeout time.Duration, retries *atomic.Int64) iter.Seq[int] {
	return func(yield func(int) bool) {
		began := time.Now()
		for n, pause := 0, firstPause; ctx.Err() == nil && yield(n); n, pause = n+1, min(2*pause, maxPause) {
			wait := pause/4 + rand.N(pause)
			deadline, limited := ctx.Deadline()
			if time.Since(began)+wait > timeout || limited && time.Until(deadline) < wait {
				return
			}
			retries.Add(1)
			select {
			case <-ctx.Done():
			case <-time.After(wait):
			}
		}
	}
}
