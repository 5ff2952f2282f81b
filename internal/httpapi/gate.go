package httpapi

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// gate bounds how many requests are under way. Some more may wait, for a short
// time; what comes beyond that is refused at once, which costs next to nothing,
// so that those who are in are as quick as ever.
type gate struct {
	slots   chan struct{} // nil: no bound
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

// enter waits for a place. Who has entered must leave.
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

// load is how full it is; without a bound, nobody has counted.
func (g *gate) load() (running, waiting, limit int) {
	if g.slots == nil {
		return 0, 0, 0
	}
	// Who is refused has counted itself for a moment.
	return len(g.slots), int(min(g.waiting.Load(), g.queue)), cap(g.slots)
}

// running are the idempotency keys of requests that are under way here.
type running struct {
	mu   sync.Mutex
	keys map[[2]string]struct{}
}

// begin takes a key, unless it is taken.
func (r *running) begin(client, key string) (done func(), ok bool) {
	k := [2]string{client, key}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.keys[k]; taken {
		return nil, false
	}
	if r.keys == nil {
		r.keys = make(map[[2]string]struct{})
	}
	r.keys[k] = struct{}{}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.keys, k)
	}, true
}
