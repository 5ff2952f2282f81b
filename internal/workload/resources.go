package workload

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
	"brokerage/internal/store"
	"brokerage/internal/telemetry"
)

// Resources are figures that were sampled during the measured time. What could not be read is absent, and never 0.
type Resources struct {
	Seconds    []float64              `json:"seconds"` // of the samples, since the first, which is at the begin
	Series     []Series               `json:"series"`
	Pools      []store.PoolStats      `json:"pools,omitempty"`      // over the measured time
	Statements []store.StatementStats `json:"statements,omitempty"` // of the database's server, the longest first
	Missing    []string               `json:"missing,omitempty"`    // what could not be read, with the reason
}

// Series is one figure at each sample.
type Series struct {
	Of     string    `json:"of"`     // OfHost, …
	Figure string    `json:"figure"` // a name of package probe, a metric, or a name that the server's store gives
	Counts bool      `json:"counts"` // the values are the increase since the first sample, otherwise states
	Values []float64 `json:"values"`
}

// What a series is of.
const (
	OfHost      = "host"      // of the load generator
	OfGenerator = "generator" // its process
	OfService   = "service"   // its process
	OfDatabase  = "database"  // its processes
	OfStore     = "store"     // the service's or the store's own metrics
	OfServer    = "server"    // what the database server counts for all its clients
)

// Find returns a series, or nil if the figure could not be read.
func (r *Resources) Find(of, figure string) *Series {
	if r == nil {
		return nil
	}
	i := slices.IndexFunc(r.Series, func(s Series) bool { return s.Of == of && s.Figure == figure })
	if i < 0 {
		return nil
	}
	return &r.Series[i]
}

// Used returns how much a counter grew over the measured time; ok is false if it could not be read.
func (r *Resources) Used(of, figure string) (sum float64, ok bool) {
	s := r.Find(of, figure)
	if s == nil || !s.Counts {
		return 0, false
	}
	return s.Values[len(s.Values)-1], true
}

// The number of samples of a run at most, the shortest time between two, and the number of statements of a result.
const (
	mostSamples    = 60
	samplePause    = time.Second
	mostStatements = 15
)

// sampler samples figures while a run is measured.
type sampler struct {
	backend  Backend
	watcher  store.Observer // nil: there is no server to ask
	database int            // parent of its processes, or 0

	from     time.Time
	every    time.Duration
	samples  []resourceSample
	servers  [2]store.ServerStats // at the first and the last sample
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
		backend: d.backend, watcher: d.config.Observer, from: time.Now(), stop: make(chan struct{}),
		every: max(samplePause, d.config.Duration/mostSamples),
	}
	if s.watcher != nil {
		if s.database = s.watcher.Process(); s.database == 0 {
			s.miss(OfDatabase, "its processes are not visible from here")
		}
	}
	s.take(ctx, true)
	s.finished.Go(func() {
		for tick := time.Tick(s.every); ; {
			select {
			case <-s.stop:
				return
			case <-tick:
				s.take(ctx, false)
			}
		}
	})
	return s
}

// end takes the last sample and returns the result, nil if there is none. It replaces a sample of a moment ago: the
// rates between the two would be chance.
func (s *sampler) end(ctx context.Context) *Resources {
	close(s.stop)
	s.finished.Wait()
	last := len(s.samples) - 1
	if ago := time.Since(s.from).Seconds() - s.samples[last].seconds; last > 0 && ago < s.every.Seconds()/4 {
		s.samples = s.samples[:last]
	}
	s.take(ctx, true)
	return s.result()
}

func (s *sampler) miss(what, why string) {
	if text := what + ": " + why; !slices.Contains(s.missing, text) {
		s.missing = append(s.missing, text)
	}
}

// take takes a sample; with statements, also the server's counts of its statements.
func (s *sampler) take(ctx context.Context, statements bool) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	one := resourceSample{figures: make(map[figureKey]float64)}
	one.processes(s)
	one.seconds = time.Since(s.from).Seconds()
	one.service(ctx, s)
	one.server(ctx, s, statements)
	s.samples = append(s.samples, one)
}

func (o *resourceSample) add(of string, figures map[string]float64) {
	for figure, value := range figures {
		o.figures[figureKey{of, figure}] = value
	}
}

// processes adds the figures of the computer and of processes on it.
func (o *resourceSample) processes(s *sampler) {
	readings := map[string]probe.Reading{OfHost: probe.Here.Host(), OfGenerator: probe.Here.Process(os.Getpid())}
	if s.database != 0 {
		readings[OfDatabase] = probe.Here.Family(s.database)
	}
	for of, r := range readings {
		o.add(of, r.Figures)
		for _, missing := range r.Missing {
			s.miss(of, missing)
		}
	}
}

// service adds the metrics of the backend; those about the process of a service become figures of that process.
func (o *resourceSample) service(ctx context.Context, s *sampler) {
	r, err := s.backend.reading(ctx)
	_, remote := s.backend.(*HTTP)
	switch {
	case err != nil:
		s.miss(OfService, "its metrics could not be read at every sample")
	case remote && r.process == nil:
		s.miss(OfService, "it serves no metrics at its address")
	}
	if r.process != nil {
		o.figures[figureKey{OfService, probe.Memory}] = float64(r.process.MemoryAfter)
		for figure, metric := range telemetry.ProcessMetrics {
			if value, ok := r.figures[metric.Name]; ok {
				o.figures[figureKey{OfService, figure}] = value
			} else {
				s.miss(OfService, figure+" is not among its metrics")
			}
		}
	}
	for name, value := range r.figures {
		if strings.HasPrefix(name, "brokerage_store_") {
			o.figures[figureKey{OfStore, name}] = value
		}
	}
}

// server adds what the database's server counts.
func (o *resourceSample) server(ctx context.Context, s *sampler, statements bool) {
	if s.watcher == nil {
		return
	}
	counted, err := s.watcher.Observe(ctx, statements)
	if err != nil {
		s.miss(OfServer, "its statistics could not be read at every sample: "+err.Error())
		return
	}
	o.add(OfServer, counted.Figures)
	for _, missing := range counted.Missing {
		s.miss(OfServer, missing)
	}
	if len(s.samples) == 0 {
		s.servers[0] = counted
	} else if statements {
		s.servers[1] = counted
	}
}

// result returns the samples that have all figures of the first one: nil if that is only the first.
func (s *sampler) result() *Resources {
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
	r := &Resources{Missing: s.missing}
	for _, o := range whole {
		r.Seconds = append(r.Seconds, rounded(o.seconds-first.seconds))
	}
	keys := slices.SortedFunc(maps.Keys(first.figures), func(a, b figureKey) int {
		return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.figure, b.figure))
	})
	for _, key := range keys {
		r.Series = append(r.Series, seriesOf(key, whole))
	}
	r.count(s.servers[1].Since(s.servers[0]))
	return r
}

// seriesOf returns a figure of all samples. A counter never falls: one that did has lost a process that had ended.
func seriesOf(key figureKey, samples []resourceSample) Series {
	series := Series{Of: key.of, Figure: key.figure, Counts: key.counts()}
	highest := samples[0].figures[key]
	for _, o := range samples {
		value := o.figures[key]
		if series.Counts {
			highest = max(highest, value)
			value = highest - samples[0].figures[key]
		}
		series.Values = append(series.Values, rounded(value))
	}
	return series
}

// counts reports whether a figure is a counter.
func (k figureKey) counts() bool {
	if k.of == OfStore || k.of == OfServer {
		return strings.HasSuffix(k.figure, "_total") || strings.HasSuffix(k.figure, "_sum") ||
			strings.HasSuffix(k.figure, "_count")
	}
	return k.figure != probe.Memory && k.figure != probe.PeakMemory
}

// rounded shortens the JSON of a figure.
func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// count adds the pools and statements of the measured time. The pools of the embedded store are in its metrics.
func (r *Resources) count(server store.ServerStats) {
	r.Pools, r.Statements = server.Pools, server.Statements
	slices.SortStableFunc(r.Statements, func(a, b store.StatementStats) int { return cmp.Compare(b.Seconds, a.Seconds) })
	r.Statements = r.Statements[:min(len(r.Statements), mostStatements)]
	metric := func(name string) int64 {
		n, _ := r.Used(OfStore, "brokerage_store_"+name+"_total")
		return int64(n)
	}
	if r.Find(OfStore, "brokerage_store_writer_page_hits_total") == nil {
		return
	}
	writing := store.PoolStats{Name: "connection for writing", Hits: metric("writer_page_hits"),
		Misses: metric("writer_page_misses")}
	r.Pools = append(r.Pools, store.PoolStats{Name: "connections for reading", // the counters are not read at one moment
		Hits: max(0, metric("page_hits")-writing.Hits), Misses: max(0, metric("page_misses")-writing.Misses)}, writing)
}

// process returns what was sampled of processes in the form of Usage, or nil if that was nothing.
func (r *Resources) process(of string, seconds float64, cores int) *ProcessUsage {
	user, ok := r.Used(of, probe.UserSeconds)
	if !ok {
		return nil
	}
	system, _ := r.Used(of, probe.SystemSeconds)
	p := &ProcessUsage{CPUSeconds: user + system}
	p.CPU = ratio(p.CPUSeconds, seconds*float64(cores))
	if memory := r.Find(of, probe.Memory); memory != nil {
		p.MemoryBefore, p.MemoryAfter = int64(memory.Values[0]), int64(memory.Values[len(memory.Values)-1])
		p.MemoryPeak = int64(slices.Max(memory.Values))
	}
	return p
}
