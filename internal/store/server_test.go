package store_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
)

// counting returns a figure whose fetches return 1, 2, 3 …, each after a delay.
func counting(takes time.Duration) *store.Cached[int] {
	n := 0
	return &store.Cached[int]{MaxWait: time.Second, Timeout: time.Minute, Fetch: func(ctx context.Context) (int, error) {
		n++
		answer := n
		select {
		case <-time.After(takes):
			return answer, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}}
}

func TestCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := counting(0)
		require.Equal(t, 1, c.Look())
		require.Equal(t, 2, c.Look())
		c.MaxAge = time.Hour
		time.Sleep(time.Hour - time.Nanosecond)
		require.Equal(t, 2, c.Look())
		time.Sleep(time.Nanosecond)
		require.Equal(t, 3, c.Look())
		time.Sleep(time.Hour)
		c.Fetch = func(context.Context) (int, error) { return 99, errors.New("no connection") }
		require.Equal(t, 3, c.Look(), "the last one that could be fetched")
	})
}

// A caller waits only MaxWait for a hanging server, and starts no second fetch.
func TestCached_MaxWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := counting(10 * time.Second)
		began := time.Now()
		require.Zero(t, c.Look())
		require.Zero(t, c.Look())
		require.Equal(t, 2*time.Second, time.Since(began))
		time.Sleep(7500 * time.Millisecond)
		require.Equal(t, 1, c.Look(), "the fetch ended while this call waited")
		synctest.Wait()
	})
}

// Pools that were not used meanwhile are left out, and so are pools whose counts were reset.
func TestPoolsSince(t *testing.T) {
	require.Equal(t, []store.PoolStats{{Name: "orders", Hits: 20, Misses: 1}, {Name: "new", Misses: 2}}, store.PoolsSince(
		[]store.PoolStats{{Name: "orders", Hits: 10, Misses: 5}, {Name: "idle", Hits: 7, Misses: 1},
			{Name: "reset", Hits: 100, Misses: 100}},
		[]store.PoolStats{{Name: "orders", Hits: 30, Misses: 6}, {Name: "idle", Hits: 7, Misses: 1},
			{Name: "reset", Hits: 1, Misses: 1}, {Name: "new", Misses: 2}}))
}
