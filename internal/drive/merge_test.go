package drive

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/workload"
)

// The parts of a load draw what its users would draw in one process, and their merged result is that of one process, to
// the last bucket of each histogram.
func TestMerge_IsTheWhole(t *testing.T) {
	const shares = 4
	var backends []*stub
	for range shares + 1 {
		backends = append(backends, newStub(t, func(_ context.Context, c *workload.Call) result.Outcome {
			// The time depends on what was drawn. No call ends exactly when measuring begins or ends.
			time.Sleep(time.Duration(1+int64(c.ID)%7)*time.Millisecond + 1001)
			return result.Done
		}))
	}
	c := shortly(t, "query")
	c.Users, c.Ramp, c.Duration, c.Every, c.Seed = 10, 80*time.Millisecond, 3*time.Second, time.Second, 7
	synctest.Test(t, func(t *testing.T) {
		c.StartAt = time.Now().Add(time.Minute)
		runs := make([]*result.Run, shares+1)
		var wait sync.WaitGroup
		for n := range runs {
			own := c
			if n > 0 {
				own.Share = workload.Share{Number: n, Of: shares}
			}
			wait.Go(func() {
				var err error
				runs[n], err = Run(t.Context(), own, backends[n])
				require.NoError(t, err)
			})
		}
		wait.Wait()
		whole, parts := runs[0], runs[1:]
		users := 0
		for _, part := range parts {
			requireResult(t, part)
			require.Equal(t, c.Users, part.Model.Users, "the model is that of the load")
			users += part.Part.Users
			require.Less(t, part.Total.Count, whole.Total.Count)
		}
		require.Equal(t, c.Users, users)
		slices.Reverse(parts) // any order

		merged, err := result.Merge(make([]string, shares), parts)
		require.NoError(t, err)
		requireResult(t, merged)
		require.Greater(t, merged.Total.Count, int64(1000))
		require.Equal(t, whole.Transactions, merged.Transactions)
		require.Equal(t, whole.Kinds, merged.Kinds)
		require.Equal(t, whole.Total, merged.Total)
		require.Equal(t, whole.PerSecond, merged.PerSecond)
		require.InDelta(t, whole.TPS, merged.TPS, 1e-9)
		require.Empty(t, merged.Intervals)
		require.Len(t, merged.Parts, shares)
		require.Equal(t, 1, merged.Parts[0].Number)
		require.Equal(t, c.StartAt.Add(c.Ramp).UTC(), merged.Parts[0].Measuring)
	})
}
