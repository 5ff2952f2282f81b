package bulk

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// InOrder calls work on all processors and passes the results to sink in the order of the source. When it returns, all
// its goroutines have ended.
func InOrder[T, R any](ctx context.Context, source iter.Seq2[T, error], work func(T) R, sink func(R) error) error {
	type outcome struct {
		value R
		err   error
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	running := make(chan chan outcome, runtime.GOMAXPROCS(0))
	wg.Go(func() {
		defer close(running)
		for t, err := range source {
			result := make(chan outcome, 1)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				result <- outcome{err: err}
			}
			select {
			case running <- result:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
			wg.Go(func() { result <- outcome{value: work(t)} })
		}
	})
	for result := range running {
		o := <-result
		if o.err != nil {
			return o.err
		}
		if err := sink(o.value); err != nil {
			return err
		}
	}
	return ctx.Err()
}
