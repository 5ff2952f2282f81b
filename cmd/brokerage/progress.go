package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"brokerage/internal/format"
)

// progress reports the progress of a long run: a bar on a terminal, a line every few seconds elsewhere.
type progress struct {
	done atomic.Int64

	mu    sync.Mutex    // guards out, so that reports and other lines do not mix, and the next three
	total float64       // expected bytes
	what  string        // the current step, while no bytes are processed
	idle  time.Duration // time without bytes, which the rate leaves out
	out   io.Writer
	width int // of the terminal, 0 if there is none
	start time.Time
	stop  chan struct{}
	ended chan struct{}
}

const (
	barEvery  = 100 * time.Millisecond
	lineEvery = 5 * time.Second
)

// startProgress starts to report to out, until finish.
func startProgress(out io.Writer, total float64) *progress {
	p := &progress{total: total, out: out, start: time.Now(), stop: make(chan struct{}), ended: make(chan struct{})}
	every := lineEvery
	if p.width = columns(out); p.width > 0 {
		every = barEvery
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

// finish ends the reports and removes the bar.
func (p *progress) finish() {
	close(p.stop)
	<-p.ended
	p.aside(func() {})
}

// aside calls write between two reports, with the bar removed; the next report draws it again.
func (p *progress) aside(write func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width > 0 {
		redraw(p.out, "")
	}
	write()
}

// doing sets what is reported instead of the rate while no bytes are processed; "" ends that.
func (p *progress) doing(what string) {
	p.aside(func() {
		p.what, p.idle = what, time.Since(p.start)
		if what != "" && p.width == 0 {
			fmt.Fprintln(p.out, what)
		}
	})
}

// of sets both: the total may have been unknown until then.
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
	if p.width > 0 {
		redraw(p.out, p.line(elapsed, p.width-1))
		return
	}
	fmt.Fprintln(p.out, p.line(elapsed, 0))
}

// line returns the state, with a bar where width columns have room for one.
func (p *progress) line(elapsed time.Duration, width int) string {
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
	text := fmt.Sprintf("%3.0f %%  %s of %s  %s/s  %s left", 100*share, format.Bytes(done), format.Bytes(p.total),
		format.Bytes(rate), left)
	if width == 0 {
		return strings.TrimLeft(text, " ")
	}
	if room := min(width-len(text)-len("[]  "), 40); room >= 10 {
		full := int(share * float64(room))
		text = "[" + strings.Repeat("#", full) + strings.Repeat(".", room-full) + "]  " + text
	}
	return text
}
