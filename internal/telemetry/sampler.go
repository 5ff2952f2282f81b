package telemetry

import (
	"sync"
	"time"
)

// Sampler chooses which of many lines are written: all, up to a number in each second, and one of so many beyond that.
// Thus a quiet service tells everything, and a busy one does not spend its time on telling.
type Sampler struct {
	all, every int64

	mu      sync.Mutex
	second  int64
	seen    int64 // in that second
	leftOut int64 // since the last that was written
}

// NewSampler writes the first all lines of a second, and of more every n-th.
func NewSampler(all, every int) *Sampler {
	return &Sampler{all: int64(all), every: int64(max(every, 1))}
}

// Take tells whether a line is written now, and how many were left out since the last one that was. One that matters is
// always written.
func (s *Sampler) Take(now time.Time, matters bool) (write bool, leftOut int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if second := now.Unix(); second != s.second {
		s.second, s.seen = second, 0
	}
	s.seen++
	if beyond := s.seen - s.all; !matters && beyond > 0 && beyond%s.every != 0 {
		s.leftOut++
		return false, 0
	}
	leftOut, s.leftOut = s.leftOut, 0
	return true, leftOut
}
