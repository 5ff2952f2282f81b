package pages

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"brokerage/internal/telemetry"
	"brokerage/internal/tpox"
)

// Constants of a stream of live figures.
const (
	Every       = time.Second // between two frames
	Window      = 5           // frames that percentiles cover; over one frame they would vary too much
	MaxWatchers = 32          // all share one frame, so that each costs only a connection and a write

	longest = time.Minute // a longer request counts as one of this duration
)

// Figures are the figures of one second: LiveFigures of the contract.
type Figures struct {
	At      string  `json:"at"`
	Seconds float64 `json:"seconds"` // that the counts cover
	// All is the sum of all operations. Transactions holds, by name, those with a count or times; telemetry.Other stands
	// for all other operations.
	All          Ended             `json:"all"`
	Transactions map[string]Ended  `json:"transactions"`
	Refused      map[string]uint32 `json:"refused"` // requests that the store did not begin, by reason
	Gate         GateState         `json:"gate"`
	Store        *StoreState       `json:"store,omitempty"` // nil for a store without statistics
	Watchers     int               `json:"watchers"`
}

// Ended are the requests that have ended, and the durations of the successful ones over the last Window frames; Times
// is nil if there were none. Probes and pages are counted, but not timed.
type Ended struct {
	OK      uint32 `json:"ok"`
	Refused uint32 `json:"refused"` // 4xx
	Failed  uint32 `json:"failed"`  // 5xx, overload included
	Times   *Times `json:"times,omitempty"`
}

// Times are percentiles, in milliseconds.
type Times struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// GateState is the state of the gate: the requests running and waiting, and the limit. Without a limit all are 0.
type GateState struct {
	Running int `json:"running"`
	Waiting int `json:"waiting"`
	Limit   int `json:"limit"`
}

// StoreState is the state of a store, with counts since it was opened; a database server counts Hits and Misses itself.
type StoreState struct {
	Connections int   `json:"connections"` // limit, for reading
	InUse       int   `json:"in_use"`
	Waits       int64 `json:"waits"` // for a connection
	Commits     int64 `json:"commits"`
	Writes      int64 `json:"writes"` // waiting for their commit
	Hits        int64 `json:"hits"`   // of the cache
	Misses      int64 `json:"misses"`
}

// Errors of Join.
var (
	ErrFull  = errors.New("the limit of watchers is reached")
	ErrEnded = errors.New("the stream has ended")
)

// A Stream counts requests while somebody watches, and sends their figures to all watchers each second. It is safe for
// concurrent use. While nobody watches, a request costs one load of a flag.
//
// It does not use the metrics: they count since the start, in buckets that suit alerts, and leave rates and percentiles
// to their reader.
type Stream struct {
	fill    func(*Figures)
	watched atomic.Bool
	ended   chan struct{}

	mu       sync.Mutex
	since    time.Time         // of the counts
	cells    map[string]*cell  // by transaction, and telemetry.Other
	all      *cell             // only its times are used
	refusals map[string]uint32 // by reason
	watchers map[*Watcher]struct{}
	stop     chan struct{} // ends run; nil: nobody watches
	closed   bool
}

// A cell counts one transaction.
type cell struct {
	Ended

	times *hdrhistogram.WindowedHistogram // in microseconds, to 1 %
}

func newCell() *cell {
	return &cell{times: hdrhistogram.NewWindowed(Window, 1, longest.Microseconds(), 2)}
}

// A Watcher receives the frames of a stream.
type Watcher struct {
	stream *Stream
	frames chan []byte
}

// NewStream returns a stream, which calls fill each second while somebody watches. The function fill sets the figures
// that the stream does not count, and must be quick.
func NewStream(fill func(*Figures)) *Stream {
	return &Stream{fill: fill, ended: make(chan struct{}), watchers: make(map[*Watcher]struct{})}
}

// Join adds a watcher, or returns ErrFull or ErrEnded. The caller must call Leave.
func (s *Stream) Join() (*Watcher, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, ErrEnded
	case len(s.watchers) >= MaxWatchers:
		return nil, ErrFull
	}
	w := &Watcher{s, make(chan []byte, 1)}
	s.watchers[w] = struct{}{}
	if s.stop == nil {
		s.stop, s.since = make(chan struct{}), time.Now()
		s.cells, s.all, s.refusals = make(map[string]*cell), newCell(), make(map[string]uint32)
		s.watched.Store(true)
		go s.run(s.stop)
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
		s.watched.Store(false)
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

// Count counts a request that has ended, by its status, and its duration if the request succeeded and timed is set.
func (s *Stream) Count(name string, status int, took time.Duration, timed bool) {
	if !s.watched.Load() {
		return
	}
	if !slices.ContainsFunc(tpox.Transactions[:], func(t tpox.Transaction) bool { return t.Name == name }) {
		name = telemetry.Other
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.cells[name]
	if c == nil {
		c = newCell()
		s.cells[name] = c
	}
	switch {
	case status >= http.StatusInternalServerError:
		c.Failed++
	case status >= http.StatusBadRequest:
		c.Refused++
	default:
		c.OK++
		if timed {
			us := min(max(took, 0), longest).Microseconds()
			_ = c.times.Current.RecordValue(us) // within its bounds
			_ = s.all.times.Current.RecordValue(us)
		}
	}
}

// CountRefused counts a request that was refused before the store began it, for one of telemetry.Reasons.
func (s *Stream) CountRefused(reason string) {
	if !s.watched.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals[reason]++
}

// run sends a frame each second until stop is closed.
func (s *Stream) run(stop chan struct{}) {
	ticker := time.NewTicker(Every)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		f := new(Figures)
		s.fill(f)
		s.send(stop, f)
	}
}

// send adds the counts to figures and sends them to all watchers, unless the run that made them was stopped meanwhile.
// It never blocks.
func (s *Stream) send(from chan struct{}, f *Figures) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != from {
		return
	}
	s.take(f)
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

// take moves the counts into figures and begins new ones. The caller holds the lock.
func (s *Stream) take(f *Figures) {
	now := time.Now()
	f.At, f.Seconds = now.UTC().Format(time.RFC3339Nano), threeDigits(now.Sub(s.since).Seconds())
	f.Watchers, f.Refused, f.Transactions = len(s.watchers), s.refusals, make(map[string]Ended)
	for name, c := range s.cells {
		e := c.take()
		f.All.OK += e.OK
		f.All.Refused += e.Refused
		f.All.Failed += e.Failed
		if e == (Ended{}) {
			delete(s.cells, name)
			continue
		}
		f.Transactions[name] = e
	}
	f.All.Times = s.all.take().Times
	s.since, s.refusals = now, make(map[string]uint32)
}

// take returns the counts with the percentiles of the window, and begins new counts.
func (c *cell) take() Ended {
	e := c.Ended
	if h := c.times.Merge(); h.TotalCount() > 0 {
		at := func(percentile float64) float64 { return threeDigits(float64(h.ValueAtPercentile(percentile)) / 1000) }
		e.Times = &Times{P50: at(50), P95: at(95), P99: at(99)}
	}
	c.Ended = Ended{}
	c.times.Rotate()
	return e
}

// threeDigits rounds to three significant digits.
func threeDigits(v float64) float64 {
	if v <= 0 {
		return 0
	}
	unit := math.Pow(10, 2-math.Floor(math.Log10(v)))
	return math.Round(v*unit) / unit
}
