package bulk

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// InOrder does work on all processors, and gives the results to sink in the
// order of what they were made from. When it returns nothing runs any more.
func InOrder[T, R any](ctx context.Context, source iter.Seq2[T, error], work func(T) R, sink func(R) error) error {
	type outcome struct {
		result R
		err    error
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	underWay := make(chan chan outcome, runtime.GOMAXPROCS(0))
	wg.Go(func() {
		defer close(underWay)
		for t, err := range source {
			place := make(chan outcome, 1)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				place <- outcome{err: err}
			}
			select {
			case underWay <- place:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
			wg.Go(func() { place <- outcome{result: work(t)} })
		}
	})
	for place := range underWay {
		o := <-place
		if o.err != nil {
			return o.err
		}
		if err := sink(o.result); err != nil {
			return err
		}
	}
	return ctx.Err()
}
