package service

import (
	"context"
	"time"
)

// abandonTimeout is how long Await waits for a step to end by itself once ctx is done.
const abandonTimeout = time.Second

// Await runs a step that may not notice that ctx is done, such as opening a pipe or asking a name server. It returns
// the error of ctx when ctx is done and the step has not ended soon after; the step is left running, and the process
// should end.
func Await[T any](ctx context.Context, step func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	ended := make(chan result, 1)
	go func() {
		value, err := step()
		ended <- result{value, err}
	}()
	var late <-chan time.Time
	for done := ctx.Done(); ; {
		select {
		case r := <-ended:
			return r.value, r.err
		case <-done:
			done, late = nil, time.After(abandonTimeout)
		case <-late:
			var none T
			return none, ctx.Err()
		}
	}
}
