package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestHistory_Explain(t *testing.T) {
	read := step{before: true, after: true}
	missing := step{}
	inserted := step{after: true}
	deleted := step{before: true}
	at := func(s step, began, ended int64) step {
		s.began, s.ended = began, ended
		return s
	}
	for name, c := range map[string]struct {
		steps          []step
		exists, agrees bool
	}{
		"InsertIsLost":        {[]step{at(inserted, 1, 2)}, false, false},
		"TwoInserts":          {[]step{at(inserted, 1, 3), at(inserted, 2, 4)}, true, false},
		"DeleteBetween":       {[]step{at(inserted, 1, 2), at(inserted, 3, 6), at(deleted, 4, 5)}, true, true},
		"DeleteTooEarly":      {[]step{at(deleted, 1, 2), at(inserted, 3, 4)}, false, false},
		"DeleteOverlaps":      {[]step{at(deleted, 1, 3), at(inserted, 2, 4)}, false, true},
		"ReadBeforeInsert":    {[]step{at(read, 1, 2), at(inserted, 3, 4)}, true, false},
		"MissingAfterReading": {[]step{at(inserted, 1, 9), at(read, 2, 3), at(missing, 4, 5)}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := (&history{steps: c.steps}).explain(false, c.exists)
			require.Equal(t, c.agrees, err == nil, "%v", err)
		})
	}
}

// explain agrees with a search through all orders of the calls.
func TestHistory_ExplainRandom(t *testing.T) {
	agreed, not := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "calls")
		clock := make([]int64, 2*n)
		for i := range clock {
			clock[i] = int64(i + 1)
		}
		clock = rapid.Permutation(clock).Draw(t, "times")
		var h history
		for i := range n {
			h.steps = append(h.steps, step{
				began: min(clock[2*i], clock[2*i+1]), ended: max(clock[2*i], clock[2*i+1]),
				before: rapid.Bool().Draw(t, "before"), after: rapid.Bool().Draw(t, "after"),
			})
		}
		existed, exists := rapid.Bool().Draw(t, "existed"), rapid.Bool().Draw(t, "exists")
		want := explainable(h.steps, existed, exists)
		if want {
			agreed++
		} else {
			not++
		}
		require.Equal(t, want, h.explain(existed, exists) == nil)
	})
	require.NotZero(t, agreed)
	require.NotZero(t, not)
}

// explainable tries every order of the calls.
func explainable(left []step, now, exists bool) bool {
	if len(left) == 0 {
		return now == exists
	}
	for i, s := range left {
		possible := s.before == now
		rest := make([]step, 0, len(left))
		for j, other := range left {
			if j != i {
				possible = possible && s.began < other.ended
				rest = append(rest, other)
			}
		}
		if possible && explainable(rest, s.after, exists) {
			return true
		}
	}
	return false
}
