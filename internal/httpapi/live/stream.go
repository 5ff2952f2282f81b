// Package live streams figures of what the service does at this moment, for people who watch.
//
// It does not use the metrics: they count since the start, in buckets that suit alerts, and leave rates and percentiles
// to their reader. Here both are computed once a second for all watchers together. While nobody watches, a request
// costs one load of a flag.
package live

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"
)

// Every is the interval of the figures.
const Every = time.Second

// Watchers is the limit of watchers. A frame is made once for all of them, so that each costs a connection and a write
// a second.
const Watchers = 32

// Errors of Join.
var (
	ErrFull  = errors.New("the limit of watchers is reached")
	ErrEnded = errors.New("the stream has ended")
)

// A Stream sends frames of figures to its watchers, and counts requests while there are any. It is safe for concurrent
// use.
type Stream struct {
	*meter

	fill  func(*Figures)
	ended chan struct{}

	mu       sync.Mutex
	watchers map[*Watcher]struct{}
	stop     chan struct{} // ends run; nil: nobody watches
	closed   bool
}

// New returns a stream. fill adds the figures that the stream does not count to those of each second, and must be
// quick.
func New(fill func(*Figures)) *Stream {
	return &Stream{meter: newMeter(), fill: fill, ended: make(chan struct{}), watchers: make(map[*Watcher]struct{})}
}

// A Watcher receives the frames of a stream.
type Watcher struct {
	stream *Stream
	frames chan []byte
}

// Join adds a watcher, which must leave again.
func (s *Stream) Join() (*Watcher, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, ErrEnded
	case len(s.watchers) >= Watchers:
		return nil, ErrFull
	}
	w := &Watcher{s, make(chan []byte, 1)}
	s.watchers[w] = struct{}{}
	if s.stop == nil {
		s.stop = make(chan struct{})
		s.on.Store(true)
		go s.run(s.stop, s.read())
	}
	return w, nil
}

// Frames returns the channel of the stream's events, which is closed at the end of the stream. A watcher that is too
// slow gets only the newest.
func (w *Watcher) Frames() <-chan []byte { return w.frames }

// Leave removes the watcher. It may be called again.
func (w *Watcher) Leave() {
	w.stream.mu.Lock()
	defer w.stream.mu.Unlock()
	delete(w.stream.watchers, w)
	w.stream.rest()
}

// rest stops counting when the last watcher has left. The caller holds the lock.
func (s *Stream) rest() {
	if len(s.watchers) == 0 && s.stop != nil {
		s.on.Store(false)
		close(s.stop)
		s.stop = nil
	}
}

// Close ends the stream for all watchers. It may be called again.
func (s *Stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	for w := range s.watchers {
		close(w.frames)
	}
	clear(s.watchers)
	s.rest()
	close(s.ended)
}

// Ended returns a channel that is closed at the end of the stream.
func (s *Stream) Ended() <-chan struct{} { return s.ended }

// run makes a frame each second until stop is closed.
func (s *Stream) run(stop chan struct{}, first *reading) {
	ticker := time.NewTicker(Every)
	defer ticker.Stop()
	readings := []*reading{first} // the oldest first
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		now := s.read()
		f := figures(now, readings[len(readings)-1], readings[0])
		s.fill(f)
		if readings = append(readings, now); len(readings) > Window {
			readings = slices.Delete(readings, 0, 1)
		}
		s.send(stop, f)
	}
}

// send sends figures to all watchers, unless the run that made them was stopped meanwhile. It never blocks.
func (s *Stream) send(from chan struct{}, f *Figures) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != from {
		return
	}
	f.Watchers = len(s.watchers)
	data, err := json.Marshal(f)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	frame := slices.Concat([]byte("event: figures\ndata: "), data, []byte("\n\n"))
	for w := range s.watchers {
		select {
		case <-w.frames: // drop the frame that was not read
		default:
		}
		w.frames <- frame // never blocks, because only send sends
	}
}
