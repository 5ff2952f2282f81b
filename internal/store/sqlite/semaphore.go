package sqlite

import (
	"context"
	"sync/atomic"
	"time"
)

// A semaphore limits how many reads run at once.
type semaphore struct {
	free   chan struct{}
	closed chan struct{}
	waits  atomic.Int64 // acquisitions that had to wait
	waited atomic.Int64 // nanoseconds, all together
}

func newSemaphore(n int) *semaphore {
	s := &semaphore{free: make(chan struct{}, n), closed: make(chan struct{})}
	for range n {
		s.release()
	}
	return s
}

// acquire waits for a free slot until ctx ends. The caller must release it.
func (s *semaphore) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-s.free:
		return nil
	default:
	}
	began := time.Now()
	defer func() {
		s.waits.Add(1)
		s.waited.Add(int64(time.Since(began)))
	}()
	select {
	case <-s.free:
		return nil
	case <-s.closed:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *semaphore) release() { s.free <- struct{}{} }

// close refuses new callers and waits until all slots are released.
func (s *semaphore) close() {
	close(s.closed)
	for range cap(s.free) {
		<-s.free
	}
}
