package campaign

import (
	"time"

	"brokerage/internal/workload"
)

// watch takes down figures all through a run: which part of the run counts is known when it is over.
type watch struct {
	read  func() map[string]float64 // nil is that there are none
	seen  []sample
	stop  chan struct{}
	ended chan struct{}
}

// sample is figures at a moment.
type sample struct {
	at      time.Time
	figures map[string]float64
}

const sampleEvery = 250 * time.Millisecond

func (w *watch) start() {
	w.stop, w.ended = make(chan struct{}), make(chan struct{})
	if !w.sample() {
		close(w.ended)
		return
	}
	go func() {
		defer close(w.ended)
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				w.sample()
				return
			case <-tick.C:
				w.sample()
			}
		}
	}()
}

// sample tells whether there was anything to see.
func (w *watch) sample() bool {
	figures := w.read()
	if figures != nil {
		w.seen = append(w.seen, sample{time.Now(), figures})
	}
	return figures != nil
}

func (w *watch) end() {
	close(w.stop)
	<-w.ended
}

// measured gives the figures at the beginning and at the end of what counts of a run, if there are any.
func (w *watch) measured(run *workload.Run) (before, after map[string]float64, ok bool) {
	if len(w.seen) == 0 {
		return nil, nil, false
	}
	from := run.Started.Add(seconds(run.Warmed))
	return w.at(from), w.at(from.Add(seconds(run.Measured))), true
}

// at gives the sample that is nearest to a moment.
func (w *watch) at(moment time.Time) map[string]float64 {
	best := w.seen[0]
	for _, s := range w.seen[1:] {
		if s.at.Sub(moment).Abs() < best.at.Sub(moment).Abs() {
			best = s
		}
	}
	return best.figures
}
