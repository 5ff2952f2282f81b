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
	// The number of samples of a run at most, and the shortest time between two.
	mostSamples = 60
	samplePause = time.Second
	// sampleTimeout is how long a sample waits for the target.
	sampleTimeout = 5 * time.Second
)

// sampler samples figures while a run is measured.
type sampler struct {
	target   Target
	watcher  store.Observer // nil: there is no server to ask
	database int            // parent of its processes, or 0

	from     time.Time
	every    time.Duration
	samples  []resourceSample
	pools    []store.PoolStats // at the first sample
	missing  []string
	stop     chan struct{}
	finished sync.WaitGroup
}

// resourceSample holds the figures at one moment.
type resourceSample struct {
	seconds float64
	figures map[figureKey]float64
}

type figureKey struct{ of, figure string }

// startSampling takes the first sample, and further ones until end is called.
func (d *driver) startSampling(ctx context.Context) *sampler {
	s := &sampler{
		target: d.target, watcher: d.plan.Observer, from: time.Now(), stop: make(chan struct{}),
		every: max(samplePause, d.plan.Duration/mostSamples),
	}
	if s.watcher != nil {
		if s.database = s.watcher.Process(); s.database == 0 {
			s.miss(result.OfDatabase, "its processes are not visible from here")
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

// end takes the last sample and returns the result, nil if there is none. It replaces a sample of a moment ago: the
// rates between the two would be chance.
func (s *sampler) end(ctx context.Context) *result.Resources {
	close(s.stop)
	s.finished.Wait()
	last := len(s.samples) - 1
	if ago := time.Since(s.from).Seconds() - s.samples[last].seconds; last > 0 && ago < s.every.Seconds()/4 {
		s.samples = s.samples[:last]
	}
	s.take(ctx)
	pools := store.PoolsSince(s.pools, s.readPools(ctx))
	r := s.result()
	if r != nil {
		r.Pools = pools
	}
	return r
}

// readPools returns what the database's server counts.
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

// take takes a sample.
func (s *sampler) take(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sampleTimeout)
	defer cancel()
	one := resourceSample{figures: make(map[figureKey]float64)}
	one.processes(s)
	one.seconds = time.Since(s.from).Seconds()
	one.service(ctx, s)
	s.samples = append(s.samples, one)
}

func (o *resourceSample) add(of string, figures map[string]float64) {
	for figure, value := range figures {
		o.figures[figureKey{of, figure}] = value
	}
}

// processes adds the figures of the computer and of processes on it.
func (o *resourceSample) processes(s *sampler) {
	readings := map[string]probe.Reading{
		result.OfHost: probe.Here.Host(), result.OfGenerator: probe.Here.Process(os.Getpid()),
	}
	if s.database != 0 {
		readings[result.OfDatabase] = probe.Here.Family(s.database)
	}
	for of, r := range readings {
		o.add(of, r.Figures)
		for _, missing := range r.Missing {
			s.miss(of, missing)
		}
	}
}

// service adds the metrics of the target.
func (o *resourceSample) service(ctx context.Context, s *sampler) {
	r, err := s.target.reading(ctx)
	if err != nil {
		r.missing = []string{"its metrics could not be read at every sample"}
	}
	for _, missing := range r.missing {
		s.miss(result.OfService, missing)
	}
	o.add(result.OfService, r.process)
	o.add(result.OfStore, r.store)
}

// result returns the samples that have all figures of the first one: nil if that is only the first.
func (s *sampler) result() *result.Resources {
	first := s.samples[0]
	for key := range first.figures { // a figure that was never read again would leave no sample
		if !slices.ContainsFunc(s.samples[1:], func(o resourceSample) bool { _, ok := o.figures[key]; return ok }) {
			delete(first.figures, key)
		}
	}
	whole := slices.DeleteFunc(s.samples, func(o resourceSample) bool {
		for key := range first.figures {
			if _, ok := o.figures[key]; !ok {
				return true
			}
		}
		return false
	})
	if len(whole) < 2 {
		return nil
	}
	r := &result.Resources{Missing: s.missing}
	for _, o := range whole {
		r.Seconds = append(r.Seconds, rounded(o.seconds-first.seconds))
	}
	keys := slices.SortedFunc(maps.Keys(first.figures), func(a, b figureKey) int {
		return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.figure, b.figure))
	})
	for _, key := range keys {
		r.Series = append(r.Series, seriesOf(key, whole))
	}
	return r
}

// seriesOf returns a figure of all samples. A counter never falls: one that did has lost a process that had ended.
func seriesOf(key figureKey, samples []resourceSample) result.Series {
	series := result.Series{Of: key.of, Figure: key.figure, Counts: key.counts()}
	last, grown := samples[0].figures[key], 0.0
	for _, o := range samples {
		value := o.figures[key]
		if series.Counts {
			switch {
			case value >= last:
				last, grown = value, grown+value-last
			case key.of == result.OfService: // it was started again, and counts from 0
				last, grown = value, grown+value
			}
			value = grown // otherwise less is of processes that have ended
		}
		series.Values = append(series.Values, rounded(value))
	}
	return series
}

// counts reports whether a figure is a counter.
func (k figureKey) counts() bool {
	if k.of == result.OfStore {
		return strings.HasSuffix(k.figure, "_total") || strings.HasSuffix(k.figure, "_sum") ||
			strings.HasSuffix(k.figure, "_count")
	}
	return k.figure != probe.Memory && k.figure != probe.PeakMemory
}

// rounded shortens the JSON of a figure.
func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }
