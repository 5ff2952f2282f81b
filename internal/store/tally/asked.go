package tally

import (
	"context"
	"sync"
	"time"
)

// Asked is what somebody else counts, such as a server, and is asked for while
// others wait: of those nobody waits for longer than Patience, and there is one
// question at a time. It is safe for concurrent use.
type Asked[T any] struct {
	Ask      func(context.Context) (T, error)
	Every    time.Duration // at most; 0 is at each look
	Patience time.Duration
	Within   time.Duration // the answer has to come, if it is for a later look

	mu    sync.Mutex
	last  T
	asked time.Time
	heard chan struct{} // closed when the question under way is answered; nil if there is none
}

// Look gives what was heard last, after asking if it is time to. An answer that
// fails leaves the one before it.
func (a *Asked[T]) Look() T {
	a.mu.Lock()
	if a.heard == nil && (a.asked.IsZero() || time.Since(a.asked) >= a.Every) {
		a.heard, a.asked = make(chan struct{}), time.Now()
		go a.ask(a.heard)
	}
	heard := a.heard
	a.mu.Unlock()
	if heard != nil {
		select {
		case <-heard:
		case <-time.After(a.Patience):
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}

func (a *Asked[T]) ask(heard chan<- struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), a.Within)
	defer cancel()
	answer, err := a.Ask(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		a.last = answer
	}
	close(heard)
	a.heard = nil
}
