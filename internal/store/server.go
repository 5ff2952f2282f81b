package store

import (
	"context"
	"iter"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// A PoolStats counts the page hits and misses of a part of a database's own cache, or of one kind of pages.
type PoolStats struct {
	Name   string `json:"name"`
	Hits   int64  `json:"hits"`
	Misses int64  `json:"misses"`
}

// PoolsSince returns what was counted between two readings, for each pool that was used meanwhile. It leaves out
// pools whose counts a server has reset.
func PoolsSince(before, after []PoolStats) (used []PoolStats) {
	counted := make(map[string]PoolStats, len(before))
	for _, p := range before {
		counted[p.Name] = p
	}
	for _, p := range after {
		was := counted[p.Name]
		if p.Hits, p.Misses = p.Hits-was.Hits, p.Misses-was.Misses; p.Hits >= 0 && p.Misses >= 0 && p.Hits+p.Misses > 0 {
			used = append(used, p)
		}
	}
	return used
}

// An Estimate is the number of documents of a kind and the bytes of their table, from the statistics that a server
// keeps by itself. No document is read for it.
type Estimate struct {
	Known             bool // false: the server has no statistics yet
	Documents, Stored int64
}

// Estimates are the estimates of all kinds of documents.
type Estimates [len(dataset.Kinds)]Estimate

// Stats returns the estimates as figures of a store.
func (all Estimates) Stats() (kinds []KindStats) {
	for _, k := range dataset.Kinds {
		e := all[k]
		kinds = append(kinds, KindStats{
			Kind: k.String(), Known: e.Known, Documents: e.Documents, Stored: e.Stored, Estimated: true,
		})
	}
	return kinds
}

// Pages are the page reads of all clients of a database: those answered from memory, and the others.
type Pages struct{ Hits, Misses int64 }

// ServerFigures are what a store fetches from its server for metrics.
type ServerFigures struct {
	Pages Cached[Pages]
	Kinds Cached[Estimates]
	IDs   Cached[map[string]int64] // that are left, by kind
}

const (
	// figuresWait limits how long a request for metrics waits for each figure of the server.
	figuresWait = 250 * time.Millisecond
	// estimatesAge is the age from which estimates are fetched again.
	estimatesAge = time.Minute
)

// NewServerFigures returns figures that are fetched by the given functions, with a timeout for each fetch.
func NewServerFigures(
	timeout time.Duration,
	pages func(context.Context) (Pages, error), kinds func(context.Context) (Estimates, error),
	nextID func(ctx context.Context, kind string) (int64, error),
) *ServerFigures {
	return &ServerFigures{
		Pages: Cached[Pages]{Fetch: pages, MaxWait: figuresWait, Timeout: timeout},
		Kinds: Cached[Estimates]{Fetch: kinds, MaxAge: estimatesAge, MaxWait: figuresWait, Timeout: timeout},
		IDs: Cached[map[string]int64]{
			Fetch: func(ctx context.Context) (map[string]int64, error) {
				left := make(map[string]int64)
				for _, kind := range tpox.IDKinds {
					next, err := nextID(ctx, kind)
					if err != nil {
						return nil, err
					}
					left[kind] = tpox.IDsLeft(next)
				}
				return left, nil
			},
			MaxWait: figuresWait, Timeout: timeout,
		},
	}
}

// A Cached is a figure that a server counts. Only one fetch runs at a time, and a caller of Look waits no longer than
// MaxWait for it. A Cached is safe for concurrent use.
type Cached[T any] struct {
	Fetch   func(context.Context) (T, error)
	MaxAge  time.Duration // before it is fetched again; 0: at each call of Look
	MaxWait time.Duration // of a caller, who then gets the last figure
	Timeout time.Duration // of a fetch

	mu      sync.Mutex
	last    T
	fetched time.Time
	done    chan struct{} // closed when the running fetch ends; nil if there is none
}

// Look returns the last figure, after fetching it if it is older than MaxAge. A fetch that fails leaves the last
// figure.
func (c *Cached[T]) Look() T {
	c.mu.Lock()
	if c.done == nil && (c.fetched.IsZero() || time.Since(c.fetched) >= c.MaxAge) {
		c.done, c.fetched = make(chan struct{}), time.Now()
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
			defer cancel()
			figure, err := c.Fetch(ctx)
			c.mu.Lock()
			defer c.mu.Unlock()
			if err == nil {
				c.last = figure
			}
			close(c.done)
			c.done = nil
		}()
	}
	done := c.done
	c.mu.Unlock()
	if done != nil {
		select {
		case <-done:
		case <-time.After(c.MaxWait):
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// A pause between attempts is 1/4 to 5/4 of a value that doubles from firstPause to maxPause.
const (
	firstPause = 2 * time.Millisecond
	maxPause   = 250 * time.Millisecond
)

// Attempts yields the number of each attempt, from 0, until the context is done, or the next pause would pass the
// timeout or the context's deadline. It counts a retry for each pause. The pauses are random, so that what failed
// together is not retried together.
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
