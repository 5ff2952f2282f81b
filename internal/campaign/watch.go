package campaign

import (
	"cmp"
	"slices"
	"time"

	"brokerage/internal/workload"
)

// watch reads figures all through a run: which part of the run counts is known only at its end.
type watch struct {
	read     func() map[string]float64 // returns nil when there are none
	readings []reading
	stop     chan struct{}
	ended    chan struct{}
}

// reading holds the figures read at one moment.
type reading struct {
	at      time.Time
	figures map[string]float64
}

const readEvery = 250 * time.Millisecond

func (w *watch) start() {
	w.stop, w.ended = make(chan struct{}), make(chan struct{})
	if !w.take() {
		close(w.ended)
		return
	}
	go func() {
		defer close(w.ended)
		tick := time.NewTicker(readEvery)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				w.take()
				return
			case <-tick.C:
				w.take()
			}
		}
	}()
}

// take reads the figures once, and reports whether there are any.
func (w *watch) take() bool {
	figures := w.read()
	if figures != nil {
		w.readings = append(w.readings, reading{time.Now(), figures})
	}
	return figures != nil
}

func (w *watch) end() {
	close(w.stop)
	<-w.ended
}

// measured returns the figures at the beginning and at the end of the measured part of a run. ok is false when
// there are none.
func (w *watch) measured(run *workload.Run) (before, after map[string]float64, ok bool) {
	if len(w.readings) == 0 {
		return nil, nil, false
	}
	from := run.Started.Add(seconds(run.Warmed))
	return w.nearest(from), w.nearest(from.Add(seconds(run.Measured))), true
}

// nearest returns the reading that is nearest to a time.
func (w *watch) nearest(t time.Time) map[string]float64 {
	return slices.MinFunc(w.readings, func(a, b reading) int {
		return cmp.Compare(a.at.Sub(t).Abs(), b.at.Sub(t).Abs())
	}).figures
}
