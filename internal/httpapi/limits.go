package httpapi

import (
	"context"
	"fmt"
	"maps"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// A gate limits how many requests run and wait at once. It refuses further requests immediately, at next to no cost, so
// that overload does not slow down the running ones.
type gate struct {
	slots   chan struct{} // nil: no limit
	waiting *atomic.Int64
	queue   int64
	wait    time.Duration
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

// leave frees the slot of a caller.
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
	// g.waiting briefly includes requests that are then refused.
	return len(g.slots), int(min(g.waiting.Load(), g.queue)), cap(g.slots)
}

// A quota limits the rate of each client's requests, with a burst of one second's requests. A client is identified by
// its token, or by its address if there are no tokens.
type quota struct {
	perSecond float64 // 0: no limit

	mu      sync.Mutex
	clients map[string]*rate.Limiter
	swept   time.Time
}

// clientsKept limits memory: from this number on, clients with a whole burst left are removed, at most once a second.
const clientsKept = 10_000

// take counts a request of a client, or returns the refusal of a client that has used up its quota.
func (l *quota) take(client string, now time.Time) error {
	if l.perSecond <= 0 {
		return nil
	}
	l.mu.Lock()
	limiter := l.clients[client]
	if limiter == nil {
		burst := max(1, int(l.perSecond))
		if len(l.clients) >= clientsKept && now.Sub(l.swept) >= time.Second {
			l.swept = now
			maps.DeleteFunc(l.clients, func(_ string, other *rate.Limiter) bool {
				return other.TokensAt(now) >= float64(burst)
			})
		}
		if l.clients == nil {
			l.clients = make(map[string]*rate.Limiter)
		}
		limiter = rate.NewLimiter(rate.Limit(l.perSecond), burst)
		l.clients[client] = limiter
	}
	l.mu.Unlock()

	r := limiter.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait <= 0 {
		return nil
	}
	r.CancelAt(now)
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	return &refused{kind: kindTooMany, wait: seconds, detail: fmt.Sprintf(
		"the client has used up its quota of requests; retry in %d s", seconds)}
}
