package sqlite

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// places bounds how many look-ups are under way.
//
// It is not a channel. A channel gives a place that gets free to whoever waits
// longest, and the place stays unused until that goroutine gets a processor:
// with fifty clients on two processors, a look-up of ten microseconds held its
// place for half a millisecond. Here a place is free until somebody who is
// running takes it, and there are always more places than processors.
type places struct {
	free   atomic.Int64
	closed atomic.Bool
	waits  atomic.Int64 // how often one was not free at once
	waited atomic.Int64 // how long for, in nanoseconds
}

// patience is how often take lets others go first before it begins to sleep.
const patience = 256

func (p *places) take(ctx context.Context) error {
	if err := p.refuse(ctx); err != nil || p.try() {
		return err
	}
	began := time.Now()
	p.waits.Add(1)
	defer func() { p.waited.Add(int64(time.Since(began))) }()
	for tries := 1; ; tries++ {
		if err := p.refuse(ctx); err != nil {
			return err
		}
		if p.try() {
			return nil
		}
		if tries < patience {
			runtime.Gosched()
		} else {
			time.Sleep(100 * time.Microsecond)
		}
	}
}

func (p *places) try() bool {
	n := p.free.Load()
	return n > 0 && p.free.CompareAndSwap(n, n-1)
}

// refuse tells why nobody is to wait for one.
func (p *places) refuse(ctx context.Context) error {
	if p.closed.Load() {
		return errClosed
	}
	return ctx.Err()
}

// close waits until all are free, and takes them for good.
func (p *places) close(all int) {
	p.closed.Store(true)
	for !p.free.CompareAndSwap(int64(all), 0) {
		time.Sleep(100 * time.Microsecond)
	}
}

func (p *places) leave() { p.free.Add(1) }
