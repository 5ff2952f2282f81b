package postgres

import (
	"context"
	"math/rand/v2"
	"time"

	"brokerage/internal/brokerage"
)

const (
	firstPause = 2 * time.Millisecond
	maxPause   = 250 * time.Millisecond
	// patience is how long the store retries by itself. A restart of the server or a failover to another takes seconds;
	// after that the client gets *brokerage.Unavailable.
	patience = 5 * time.Second
)

// again calls try until it succeeds, fails in a way that must not be retried or would not get better, or no time is
// left. Pauses grow, and are random, so that requests that failed together do not retry together.
func (s *Store) again(ctx context.Context, try func(context.Context) error, mayTryAgain func(error) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	began := time.Now()
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		err := try(ctx)
		if err == nil || brokerage.IsOwn(err) || !mayTryAgain(err) {
			return err
		}
		wait := time.Duration(rand.Int64N(int64(pause))) + pause/4
		if deadline, ok := ctx.Deadline(); time.Since(began)+wait > patience || ok && time.Until(deadline) < wait {
			return err
		}
		s.retries.Add(1)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}
