package tally

import (
	"context"
	"sync"
	"time"
)

// A Cached is a figure that a server counts. It is fetched once at a time, and a caller of Look waits no longer than
// MaxWait for it. It is safe for concurrent use.
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
		go c.fetch(c.done)
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

func (c *Cached[T]) fetch(done chan<- struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	figure, err := c.Fetch(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.last = figure
	}
	close(done)
	c.done = nil
}
