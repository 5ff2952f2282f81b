package drive

import (
	"cmp"
	"context"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"brokerage/internal/probe"
	"brokerage/internal/result"
	"brokerage/internal/store"
)

const (
	// Samples are taken mostSamples times in Plan.Duration, but at least samplePause apart.
	mostSamples = 60
	samplePause = time.Second
	// sampleTimeout is how long a sample waits for the target, and readPools for the server.
	sampleTimeout = 5 * time.Second
)

// sampler samples figures while a run is measured.
type sampler struct {
	target   Target
	watcher  store.Observer // nil: there is no server to ask
	database int            // parent of the server's processes, or 0

	from     time.Time
	every    time.Duration
	seconds  []float64            // of the samples
	samples  []map[figure]float64 // without what could not be read
	pools    []store.PoolStats    // at the first sample
	missing  []string
	stop     chan struct{}
	finished sync.WaitGroup
}

// figure is the name of a figure, and whose it is, such as result.OfHost.
type figure struct{ of, name string }

// startSampling takes the first sample, and further ones until end is called.
func (c *Crew) startSampling(ctx context.Context) *sampler {
	s := &sampler{
		target: c.target, watcher: c.plan.Observer, stop: make(chan struct{}),
		every: max(samplePause, c.plan.Duration/mostSamples),
	}
	if s.watcher != nil {
		if s.database = s.watcher.Process(); s.database == 0 {
			s.miss(result.OfDatabase, "its processes are not visible on this machine")
		}
	}
	s.take(ctx)
	s.pools = s.readPools(ctx)
	s.finished.Go(func() {
		for tick := time.Tick(s.every); ; {
			select {
			case <-s.stop:
				return
			case <-tick:
				s.take(ctx)
			}
		}
	})
	return s
}

// end takes the last sample and returns the figures that both the first sample and a later one have. Samples without
// one of these figures are left out. The last sample replaces the one before it if that is very recent, because rates
// between the two would be chance.
func (s *sampler) end(ctx context.Context) *result.Resources {
	close(s.stop)
	s.finished.Wait()
	last := len(s.samples) - 1
	if ago := time.Since(s.from).Seconds() - s.seconds[last]; last > 0 && ago < s.every.Seconds()/4 {
		s.seconds, s.samples = s.seconds[:last], s.samples[:last]
	}
	s.take(ctx)
	byName := func(a, b figure) int { return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.name, b.name)) }
	has := func(f figure) func(map[figure]float64) bool {
		return func(sample map[figure]float64) bool { _, ok := sample[f]; return ok }
	}
	figures := slices.DeleteFunc(slices.SortedFunc(maps.Keys(s.samples[0]), byName), func(f figure) bool {
		return !slices.ContainsFunc(s.samples[1:], has(f))
	})
	r := &result.Resources{Pools: store.PoolsSince(s.pools, s.readPools(ctx)), Missing: s.missing}
	var whole []map[figure]float64
	for i, sample := range s.samples {
		if !slices.ContainsFunc(figures, func(f figure) bool { return !has(f)(sample) }) {
			whole, r.Seconds = append(whole, sample), append(r.Seconds, s.seconds[i])
		}
	}
	for _, f := range figures {
		r.Series = append(r.Series, f.series(whole))
	}
	return r
}

// readPools returns the hits and misses of the pools of the database's server.
func (s *sampler) readPools(ctx context.Context) []store.PoolStats {
	if s.watcher == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sampleTimeout)
	defer cancel()
	pools, err := s.watcher.Pools(ctx)
	if err != nil {
		s.miss(result.OfDatabase, "the hits and misses of its server could not be read: "+err.Error())
	}
	return pools
}

func (s *sampler) miss(what, why string) {
	if text := what + ": " + why; !slices.Contains(s.missing, text) {
		s.missing = append(s.missing, text)
	}
}

// take takes a sample of this computer, of processes on it, and of the target.
func (s *sampler) take(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sampleTimeout)
	defer cancel()
	sample := make(map[figure]float64)
	add := func(of string, figures probe.Figures, missing []string) {
		for name, value := range figures {
			sample[figure{of, name}] = value
		}
		for _, why := range missing {
			s.miss(of, why)
		}
	}
	host, self := probe.Here.Host(), probe.Here.Process(os.Getpid())
	add(result.OfHost, host.Figures, host.Missing)
	add(result.OfGenerator, self.Figures, self.Missing)
	if s.database != 0 {
		database := probe.Here.Family(s.database)
		add(result.OfDatabase, database.Figures, database.Missing)
	}
	now := time.Now()
	if s.from.IsZero() {
		s.from = now
	}
	s.seconds = append(s.seconds, rounded(now.Sub(s.from).Seconds()))
	target, err := s.target.reading(ctx)
	if err != nil {
		target.missing = []string{"its metrics could not be read at every sample"}
	}
	add(result.OfService, target.process, target.missing)
	add(result.OfStore, target.store, nil)
	s.samples = append(s.samples, sample)
}

// series returns a figure at each sample. A counter that falls because one of its processes has ended keeps its last
// value.
func (f figure) series(samples []map[figure]float64) result.Series {
	series := result.Series{Of: f.of, Figure: f.name, Counts: f.counts()}
	last, grown := samples[0][f], 0.0
	for _, sample := range samples {
		switch value := sample[f]; {
		case !series.Counts:
			last = value
		case value >= last:
			last, grown = value, grown+value-last
		case f.of == result.OfService: // it was started again, and counts from 0
			last, grown = value, grown+value
		}
		if series.Counts {
			series.Values = append(series.Values, rounded(grown))
		} else {
			series.Values = append(series.Values, rounded(last))
		}
	}
	return series
}

// counts reports whether a figure is a counter.
func (f figure) counts() bool {
	if f.of == result.OfStore {
		return strings.HasSuffix(f.name, "_total") || strings.HasSuffix(f.name, "_sum") || strings.HasSuffix(f.name, "_count")
	}
	return f.name != probe.Memory && f.name != probe.PeakMemory
}

// rounded rounds a figure to six decimals, to shorten the JSON.
func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }
