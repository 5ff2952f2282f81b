package drive

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/workload"
)

// A request without a response within its timeout is unanswered. A request that is still in progress at the end of
// the measured time counts neither as done nor as an error, whether or not it is answered later.
func TestDrive_WhoGaveUp(t *testing.T) {
	for name, c := range map[string]struct {
		answer, duration time.Duration
		want             result.Row
	}{
		"Answered": {10 * time.Second, 15 * time.Second, result.Row{Due: 8, Count: 4, Good: 4, Waiting: 4}},
		"TimedOut": {time.Hour, 45 * time.Second, result.Row{
			Due: 8, Count: 4, Unexpected: map[string]int64{result.Timeout: 4}, Unanswered: 4, Waiting: 4,
		}},
		"NobodyKnows": {time.Hour, 5 * time.Second, result.Row{Due: 4, Waiting: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t, func(ctx context.Context, _ *workload.Call) result.Outcome {
				bounded, cancel := context.WithTimeout(ctx, answerWithin)
				defer cancel()
				select {
				case <-time.After(c.answer):
					return result.Done
				case <-bounded.Done():
					return workload.TimedOut // as a connection whose deadline has come
				}
			})
			synctest.Test(t, func(t *testing.T) {
				p := shortly(t, "query")
				p.Duration = c.duration
				r := driven(t, s, p)
				all := r.Total
				require.Equal(t, c.want, result.Row{
					Due: all.Due, Count: all.Count, Good: all.Good, Unexpected: all.Unexpected, Unanswered: all.Unanswered,
					Waiting: all.Waiting, Late: all.Late,
				})
				require.InDelta(t, float64(all.Good)/c.duration.Seconds(), r.TPS, 1e-9)
				require.Equal(t, c.want.Due, s.calls.Load(), "nothing is begun after the end")
			})
		})
	}
}
