package result

import (
	"slices"

	"brokerage/internal/probe"
	"brokerage/internal/store"
)

// Resources are figures that were sampled during the measured time. What could not be read is absent, and never 0.
type Resources struct {
	Seconds []float64         `json:"seconds"` // of the samples, since the first, which is at the begin
	Series  []Series          `json:"series"`
	Pools   []store.PoolStats `json:"pools,omitempty"`   // over the measured time
	Missing []string          `json:"missing,omitempty"` // what could not be read, with the reason
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

// Process returns what was sampled of processes in the form of Usage, or nil if that was nothing.
func (r *Resources) Process(of string, seconds float64, cores int) *ProcessUsage {
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
