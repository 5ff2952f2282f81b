package live

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"
)

// Every is how often figures are made.
const Every = time.Second

// Watchers is how many may watch at once. A frame is made once for all of them,
// so that each costs a connection and a write a second.
const Watchers = 32

// Why nobody more can watch.
var (
	ErrFull  = errors.New("as many watch as may")
	ErrEnded = errors.New("the stream has ended")
)

// Stream gives frames of figures to those who watch, and counts while anybody
// does. It is safe for concurrent use.
type Stream struct {
	meter *meter
	fill  func(*Figures)
	ended chan struct{}

	mu       sync.Mutex
	watchers map[*Watcher]struct{}
	stop     chan struct{} // ends the one who makes frames; nil: nobody watches
	closed   bool
}

// New makes a stream. Reasons are all that Refused will be called with; another
// is not counted. Fill adds to each second's figures what is not counted here,
// and must not take long.
func New(reasons []string, fill func(*Figures)) *Stream {
	return &Stream{meter: newMeter(reasons), fill: fill, ended: make(chan struct{}), watchers: make(map[*Watcher]struct{})}
}

// Observe counts a request that has ended, with its time.
func (s *Stream) Observe(transaction string, status int, took time.Duration) {
	s.meter.observe(transaction, status, took)
}

// Count counts a request that has ended and whose time says nothing of the work:
// a probe, a page.
func (s *Stream) Count(transaction string, status int) { s.meter.count(transaction, status) }

// Refused counts why a request was refused before the store saw it.
func (s *Stream) Refused(reason string) { s.meter.refused(reason) }

// Watcher is one who watches.
type Watcher struct {
	stream *Stream
	frames chan []byte
}

// Join lets one more watch, who must leave again.
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
		s.meter.on.Store(true)
		go s.run(s.stop, s.meter.read())
	}
	return w, nil
}

// Frames are the events of the stream, the newest at most waiting: who is too
// slow to take one misses it. They end when the stream does.
func (w *Watcher) Frames() <-chan []byte { return w.frames }

// Leave ends watching; a second time it does nothing.
func (w *Watcher) Leave() {
	w.stream.mu.Lock()
	defer w.stream.mu.Unlock()
	delete(w.stream.watchers, w)
	w.stream.rest()
}

// rest ends the counting when nobody watches any more. The lock is held.
func (s *Stream) rest() {
	if len(s.watchers) == 0 && s.stop != nil {
		s.meter.on.Store(false)
		close(s.stop)
		s.stop = nil
	}
}

// Close ends the stream for all who watch; a second time it does nothing.
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

// Ended is closed when the stream is.
func (s *Stream) Ended() <-chan struct{} { return s.ended }

// run makes frames until it is stopped.
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
		now := s.meter.read()
		f := figures(s.meter.reasons, now, readings[len(readings)-1], readings[0])
		s.fill(f)
		if readings = append(readings, now); len(readings) > Window {
			readings = slices.Delete(readings, 0, 1)
		}
		s.give(stop, f)
	}
}

// give hands figures to all, unless whoever made them was stopped meanwhile. It
// waits for nobody.
func (s *Stream) give(from chan struct{}, f *Figures) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != from {
		return
	}
	f.Watchers = len(s.watchers)
	data, err := json.Marshal(f)
	if err != nil {
		panic(err) // it is texts and numbers
	}
	frame := slices.Concat([]byte("event: figures\ndata: "), data, []byte("\n\n"))
	for w := range s.watchers {
		select {
		case <-w.frames: // nobody took it, and it is old now
		default:
		}
		w.frames <- frame // there is room: nobody else sends
	}
}
