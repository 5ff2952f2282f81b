package drive

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/probe"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/store/sqlite/sqlitetest"
)

// counting is a server whose counters grow each time that they are read.
type counting struct {
	n       int64
	failing error
}

func (c *counting) Process() int { return 0 }
func (c *counting) Close() error { return nil }

func (c *counting) Pools(context.Context) ([]store.PoolStats, error) {
	c.n++
	return []store.PoolStats{{Name: "orders", Hits: 10 * c.n, Misses: c.n}}, c.failing
}

// Runs on a store and over HTTP have figures of processes at the same moments, and of the pools of the server.
func TestDrive_Resources(t *testing.T) {
	for _, name := range []string{"Direct", "HTTP"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sqlitetest.Store(t)
			b := bothWays(t, s)[name]
			if d, ok := b.(*Direct); ok { // the service of this test has no metrics of its store
				d.Stats = s.Stats
			}
			c := shortly(t, "mixed")
			c.Duration, c.Rate = 2500*time.Millisecond, 200
			c.Observer = &counting{}
			run := driven(t, b, c)
			r := run.Resources
			require.GreaterOrEqual(t, len(r.Seconds), 3)
			require.Zero(t, r.Seconds[0])
			require.True(t, slices.IsSorted(r.Seconds))
			require.InDelta(t, run.Measured, r.Seconds[len(r.Seconds)-1], 1)
			for _, s := range r.Series {
				require.Len(t, s.Values, len(r.Seconds), s.Figure)
				if s.Counts {
					require.Zero(t, s.Values[0], s.Figure)
					require.True(t, slices.IsSorted(s.Values), s.Figure)
				}
			}
			if runtime.GOOS == "linux" {
				require.Positive(t, r.Counted(result.OfGenerator)[probe.UserSeconds])
				require.Positive(t, run.Usage.Host.CPU)
				require.Positive(t, run.Usage.Generator.MemoryPeak)
				require.Equal(t, name == "HTTP", r.Find(result.OfService, probe.UserSeconds) != nil)
			}
			require.Equal(t, name == "Direct", r.Counted(result.OfStore)["brokerage_store_page_writes_total"] > 0)
			require.Equal(t, []store.PoolStats{{Name: "orders", Hits: 10, Misses: 1}}, r.Pools)
			require.Contains(t, r.Missing, "database: its processes are not visible on this machine")
		})
	}
}

// A result has the figures that both the first sample and a later one have, without samples that lack one. A process
// may have ended meanwhile; a service that was started again counts from 0.
func TestSampler_End(t *testing.T) {
	sample := func(of, name string, value float64) map[figure]float64 { return map[figure]float64{{of, name}: value} }
	for name, c := range map[string]struct {
		of, name string
		values   []float64
		want     []float64
	}{
		"State":     {result.OfDatabase, probe.Memory, []float64{5, 9, 7}, []float64{5, 9, 7}},
		"Counter":   {result.OfDatabase, probe.Reads, []float64{10, 12, 13}, []float64{0, 2, 3}},
		"Ended":     {result.OfDatabase, probe.UserSeconds, []float64{10, 12, 1, 3}, []float64{0, 2, 2, 2}},
		"Restarted": {result.OfService, probe.UserSeconds, []float64{10, 12, 1, 3}, []float64{0, 2, 3, 5}},
	} {
		var samples []map[figure]float64
		for _, v := range c.values {
			samples = append(samples, sample(c.of, c.name, v))
		}
		require.Equal(t, c.want, figure{c.of, c.name}.series(samples).Values, name)
	}
	// A sample that was taken just before the end is replaced. A server that does not answer does not end the run.
	for ago, want := range map[time.Duration]int{time.Millisecond: 2, time.Hour: 3} {
		s := sampler{target: direct(t, nullStore(t), "null:"), from: time.Now().Add(-2 * time.Hour), every: time.Minute,
			stop: make(chan struct{}), watcher: &counting{failing: errors.New("the server restarts")},
			seconds: []float64{0, (2*time.Hour - ago).Seconds()},
			samples: []map[figure]float64{sample(result.OfDatabase, probe.Reads, 1), nil}}
		r := s.end(t.Context())
		require.Len(t, s.samples, want)
		require.Empty(t, r.Series)
		require.Contains(t, r.Missing, "database: the hits and misses of its server could not be read: the server restarts")
	}
	s := sampler{target: direct(t, nullStore(t), "null:"), from: time.Now().Add(-time.Hour), every: time.Minute,
		stop: make(chan struct{}), seconds: []float64{0, 1, 2, 3}, samples: []map[figure]float64{
			sample(result.OfStore, "x_total", 1), sample(result.OfStore, "x_total", 3), {}, sample(result.OfStore, "x_total", 6),
		}}
	r := s.end(t.Context()) // takes the last sample, which has no such figure
	require.Equal(t, []float64{0, 1, 3}, r.Seconds)
	require.Equal(t, []float64{0, 2, 5}, r.Find(result.OfStore, "x_total").Values)
}
