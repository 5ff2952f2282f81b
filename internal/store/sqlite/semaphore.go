package sqlite

import (
	"context"
	"sync/atomic"
	"time"
)

// places bounds how many look-ups are under way.
type places struct {
	free   chan struct{}
	closed chan struct{}
	waits  atomic.Int64 // how often none was free at once
	waited atomic.Int64 // how long for, in nanoseconds
}

func newPlaces(n int) *places {
	p := &places{free: make(chan struct{}, n), closed: make(chan struct{})}
	for range n {
		p.leave()
	}
	return p
}

// take waits for a place. Who has taken one must leave.
func (p *places) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-p.free:
		return nil
	default:
	}
	began := time.Now()
	defer func() {
		p.waits.Add(1)
		p.waited.Add(int64(time.Since(began)))
	}()
	select {
	case <-p.free:
		return nil
	case <-p.closed:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *places) leave() { p.free <- struct{}{} }

// close waits until all have left, and lets nobody in again.
func (p *places) close() {
	close(p.closed)
	for range cap(p.free) {
		<-p.free
	}
}
