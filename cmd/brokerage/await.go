package main

import (
	"context"
	"time"
)

// abandonAfter is how long await waits for a step to end by itself after a signal.
const abandonAfter = time.Second

// await does a step that may not notice that ctx is done, such as opening a pipe or
// asking a name server. It returns the error of ctx when that is done and the step
// has not ended soon after; the step is left running, and the process should end.
func await[T any](ctx context.Context, step func() (T, error)) (T, error) {
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
			done, late = nil, time.After(abandonAfter)
		case <-late:
			var none T
			return none, ctx.Err()
		}
	}
}
