package main

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"brokerage/internal/format"
)

// progress reports the progress of a long run: on a terminal by redrawing one line, elsewhere by a line every 5 s.
type progress struct {
	done atomic.Int64

	mu    sync.Mutex    // guards the next three, and out, so that reports and other lines do not mix
	total float64       // expected bytes
	what  string        // the current step, while no bytes are processed
	idle  time.Duration // from start to the last call of doing, which the rate leaves out
	out   io.Writer
	draws bool // out is a terminal
	start time.Time
	stop  chan struct{}
	ended chan struct{}
}

const (
	drawEvery = 100 * time.Millisecond
	lineEvery = 5 * time.Second
)

// startProgress starts to report to out, until finish.
func startProgress(out io.Writer, total float64) *progress {
	p := &progress{total: total, out: out, start: time.Now(), stop: make(chan struct{}), ended: make(chan struct{})}
	every := lineEvery
	if p.draws = isTerminal(out); p.draws {
		every = drawEvery
	}
	go func() {
		defer close(p.ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-p.stop:
				return
			case now := <-tick.C:
				p.report(now.Sub(p.start))
			}
		}
	}()
	return p
}

// finish ends the reports and removes the line.
func (p *progress) finish() {
	close(p.stop)
	<-p.ended
	p.aside(func() {})
}

// aside calls write between two reports, with the line removed; the next report draws it again.
func (p *progress) aside(write func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.draws {
		redraw(p.out, "")
	}
	write()
}

// doing sets what is reported instead of the rate while no bytes are processed; "" ends that.
func (p *progress) doing(what string) {
	p.aside(func() {
		p.what, p.idle = what, time.Since(p.start)
		if what != "" && !p.draws {
			fmt.Fprintln(p.out, what)
		}
	})
}

// of sets the number of bytes done, and the total, which may have been unknown until then.
func (p *progress) of(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total = float64(total)
	p.done.Store(done)
}

func (p *progress) report(elapsed time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.total == 0 && p.what == "" {
		return
	}
	if p.draws {
		redraw(p.out, p.line(elapsed))
		return
	}
	fmt.Fprintln(p.out, p.line(elapsed))
}

// line returns the text of the next report.
func (p *progress) line(elapsed time.Duration) string {
	done := float64(p.done.Load())
	share := 1.0
	if p.total > 0 {
		share = min(done/p.total, 1) // the total is an estimate
	}
	if p.what != "" {
		return fmt.Sprintf("%s, %s", p.what, format.Duration(elapsed-p.idle))
	}
	rate := done / max((elapsed-p.idle).Seconds(), 1e-3)
	left := "-"
	if rate > 0 {
		left = format.Duration(time.Duration(max(p.total-done, 0) / rate * float64(time.Second)))
	}
	return fmt.Sprintf("%.0f %%  %s of %s  %s/s  %s left", 100*share, format.Bytes(done), format.Bytes(p.total),
		format.Bytes(rate), left)
}
