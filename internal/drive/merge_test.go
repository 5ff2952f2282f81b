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
			// By what was drawn, and never at the moment at which measuring begins or ends.
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

func TestShare_Users(t *testing.T) {
	for _, of := range []int{1, 3, 7, 10} {
		next := 0
		for number := range of {
			from, to := workload.Share{Number: number + 1, Of: of}.Users(10)
			require.Equal(t, next, from)
			require.Greater(t, to, from)
			next = to
		}
		require.Equal(t, 10, next)
	}
	c := shortly(t, "query")
	c.Share = workload.Share{Number: 1, Of: 5}
	require.ErrorContains(t, c.Check(), "4 users cannot be divided among 5 parts")
	c.Share = workload.Share{Number: 5, Of: 4}
	require.ErrorContains(t, c.Check(), "there is no part 5 of 4")
	c.Users = 0
	require.ErrorContains(t, c.Check(), "number of users is 0")
}

func TestDrive_StartHasPassed(t *testing.T) {
	c := shortly(t, "query")
	c.StartAt = time.Now().Add(-time.Minute)
	_, err := Run(t.Context(), c, direct(t, nullStore(t), "null:"))
	require.ErrorContains(t, err, "the time to start, ")
}

// Even arrivals are dealt in turn, so that all parts together have the schedule of one load generator.
func TestShare_Arrivals(t *testing.T) {
	schedule := func(share workload.Share, n int) (dues []int64) {
		a := newArrivals(&Plan{Rate: 1000, Ramp: time.Second, Arrivals: Even, Share: share}, 1)
		for range n {
			dues = append(dues, a.at())
			a.advance()
		}
		return dues
	}
	var dealt []int64
	for number := range 3 {
		dealt = append(dealt, schedule(workload.Share{Number: number + 1, Of: 3}, 1000)...)
	}
	slices.Sort(dealt)
	require.Equal(t, schedule(workload.Share{}, 3000), dealt)
}
