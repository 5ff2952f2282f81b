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

// A run on either way has the figures of the processes, of the store and of the server, at the same moments.
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
			c.Duration = 2500 * time.Millisecond
			c.Observer = &counting{}
			run, err := Run(t.Context(), c, b)
			require.NoError(t, err)
			requireSchema(t, run)
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
				user, ok := r.Counted(result.OfGenerator)[probe.UserSeconds]
				require.True(t, ok)
				require.Positive(t, user)
				require.NotNil(t, r.Find(result.OfHost, probe.IdleSeconds))
				require.Positive(t, run.Usage.Host.CPU)
				require.Positive(t, run.Usage.Generator.MemoryAfter)
				require.False(t, r.Find(result.OfGenerator, probe.Memory).Counts)
				of := r.Find(result.OfService, probe.UserSeconds)
				require.Equal(t, name == "HTTP", of != nil)
			}
			writes, ok := r.Counted(result.OfStore)["brokerage_store_page_writes_total"]
			require.Equal(t, name == "Direct", ok)
			require.Equal(t, ok, writes > 0)
			require.Equal(t, []store.PoolStats{{Name: "orders", Hits: 10, Misses: 1}}, r.Pools)
			require.Contains(t, r.Missing, "database: its processes are not visible from here")
			require.Len(t, slices.Compact(slices.Sorted(slices.Values(r.Missing))), len(r.Missing), "each once")
		})
	}
}

// A service that was killed and started again counts from 0. A database counts for the processes that it has at a
// moment.
func TestSampler_Restarted(t *testing.T) {
	for of, want := range map[string][]float64{result.OfService: {0, 2, 3, 5}, result.OfDatabase: {0, 2, 2, 2}} {
		var samples []resourceSample
		key := figureKey{of, probe.UserSeconds}
		for _, seconds := range []float64{10, 12, 1, 3} {
			samples = append(samples, resourceSample{figures: map[figureKey]float64{key: seconds}})
		}
		require.Equal(t, want, seriesOf(key, samples).Values, of)
	}
}

// A sample of a moment before the end is replaced by the last one. A server that does not answer is no end of a run.
func TestSampler_End(t *testing.T) {
	for name, ago := range map[string]time.Duration{"Moment": time.Millisecond, "Long": time.Hour} {
		t.Run(name, func(t *testing.T) {
			s := sampler{target: direct(t, nullStore(t), "null:"), from: time.Now().Add(-2 * time.Hour), every: time.Minute,
				stop: make(chan struct{}), watcher: &counting{failing: errors.New("the server restarts")}}
			s.take(t.Context())
			s.samples[0].seconds = 0
			s.take(t.Context())
			s.samples[1].seconds = (2*time.Hour - ago).Seconds()
			r := s.end(t.Context())
			require.Len(t, r.Seconds, map[string]int{"Moment": 2, "Long": 3}[name])
			require.Contains(t, r.Missing, "database: the hits and misses of its server could not be read: the server restarts")
		})
	}
}

// A figure that was read only once is left out of the samples; the samples stay.
func TestSampler_Result(t *testing.T) {
	key := func(figure string) figureKey { return figureKey{result.OfDatabase, figure} }
	s := sampler{missing: []string{"host: none"}, samples: []resourceSample{
		{0, map[figureKey]float64{key(probe.UserSeconds): 10, key(probe.Memory): 5, key(probe.Reads): 1}},
		{1, map[figureKey]float64{key(probe.UserSeconds): 12, key(probe.Memory): 9}},
		{2, map[figureKey]float64{key(probe.Memory): 1}},
		{3, map[figureKey]float64{key(probe.UserSeconds): 11, key(probe.Memory): 7, key("late"): 1}},
	}}
	require.Equal(t, &result.Resources{
		Seconds: []float64{0, 1, 3}, Missing: []string{"host: none"},
		Series: []result.Series{ // a process that has ended took its share with it
			{Of: result.OfDatabase, Figure: probe.Memory, Counts: false, Values: []float64{5, 9, 7}},
			{Of: result.OfDatabase, Figure: probe.UserSeconds, Counts: true, Values: []float64{0, 2, 2}},
		},
	}, s.result())
	s.samples = s.samples[:1]
	require.Nil(t, s.result())
}
