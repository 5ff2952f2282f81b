package httpapi

import (
	"context"
	"sync/atomic"
	"time"
)

// A gate limits how many requests run and wait at once. It refuses further requests immediately, at next to no cost, so
// that overload does not slow down the running ones.
type gate struct {
	slots   chan struct{} // nil: no limit
	waiting *atomic.Int64
	queue   int64
	wait    time.Duration
}

func newGate(inFlight, queue int, wait time.Duration) gate {
	if inFlight <= 0 {
		return gate{}
	}
	return gate{slots: make(chan struct{}, inFlight), waiting: new(atomic.Int64), queue: int64(queue), wait: wait}
}

// enter waits for a free slot. A caller that gets no error must call leave.
func (g *gate) enter(ctx context.Context) error {
	if g.slots == nil {
		return nil
	}
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	defer g.waiting.Add(-1)
	if g.waiting.Add(1) > g.queue {
		return errQueueFull
	}
	timer := time.NewTimer(g.wait)
	defer timer.Stop()
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-timer.C:
		return errQueueWait
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gate) leave() {
	if g.slots != nil {
		<-g.slots
	}
}

// load returns the requests running, the requests waiting and the limit; all 0 without a limit.
func (g *gate) load() (running, waiting, limit int) {
	if g.slots == nil {
		return 0, 0, 0
	}
	// waiting briefly includes requests that are then refused.
	return len(g.slots), int(min(g.waiting.Load(), g.queue)), cap(g.slots)
}
