package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// A history records calls on one document by several clients, to show that the answers agree.
type history struct {
	clock atomic.Int64
	mu    sync.Mutex
	steps []step
}

// A step is one call: when it ran, by the history's clock, and whether the document existed before and after it, as the
// answer says.
type step struct {
	name          string
	began, ended  int64
	before, after bool
}

// record makes a call that has the effect s if it succeeds. If it is refused, the document did not meet the condition
// of the call, and did not change. Other errors are returned.
func (h *history) record(s step, refused func(error) bool, call func() error) error {
	s.began = h.clock.Add(1)
	err := call()
	s.ended = h.clock.Add(1)
	if err != nil {
		if !refused(err) {
			return err
		}
		s.before, s.after = !s.before, !s.before
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.steps = append(h.steps, s)
	return nil
}

// explain returns an error unless the answers could be those of the same calls made one after another, each at some
// moment while it ran. existed and exists report whether the document exists before and after all calls.
//
// Of the calls that can come next, it takes one that changed nothing, because that leaves all others possible. If there
// is none, it takes the change that ended first, because the other ones can also come later.
func (h *history) explain(existed, exists bool) error {
	left := slices.SortedFunc(slices.Values(h.steps), func(a, b step) int { return cmp.Compare(a.ended, b.ended) })
	now := existed
	for len(left) > 0 {
		next := -1
		for i, s := range left {
			if s.before != now || s.began > left[0].ended {
				continue
			}
			if s.after == now || next < 0 {
				next = i
			}
			if s.after == now {
				break
			}
		}
		if next < 0 {
			return fmt.Errorf("no order of the calls explains the answers: after %d calls in order the document exists: %t, "+
				"and none of those that ran then can be the next: %+v", len(h.steps)-len(left), now, left[:min(len(left), 8)])
		}
		now = left[next].after
		left = slices.Delete(left, next, next+1)
	}
	if now != exists {
		return fmt.Errorf("after %d calls it should exist: %t, but it exists: %t", len(h.steps), now, exists)
	}
	return nil
}
