package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"
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
