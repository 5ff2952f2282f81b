package result

import (
	"slices"

	"brokerage/internal/probe"
	"brokerage/internal/store"
)

// Resources are figures that were sampled during the measured time. What could not be read is absent, and never 0.
type Resources struct {
	Seconds []float64         `json:"seconds"` // of the samples, since the first, which is at the beginning
	Series  []Series          `json:"series"`
	Pools   []store.PoolStats `json:"pools,omitempty"`   // over the measured time
	Missing []string          `json:"missing,omitempty"` // what could not be read, with the reason
}

// Series is one figure at each sample.
type Series struct {
	Of     string    `json:"of"`     // OfHost, …
	Figure string    `json:"figure"` // a name of package probe, or a metric
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

// Counted returns the counters of one kind that could be read, by figure: how much each grew over the measured time.
func (r *Resources) Counted(of string) probe.Figures {
	figures := make(probe.Figures)
	if r != nil {
		for _, s := range r.Series {
			if s.Of == of && s.Counts {
				figures[s.Figure] = s.Values[len(s.Values)-1]
			}
		}
	}
	return figures
}

// Process returns the usage of processes, such as OfService, from their samples, or nil if no CPU time is known.
func (r *Resources) Process(of string, cores int) *ProcessUsage {
	used := r.Counted(of)
	if _, ok := used[probe.UserSeconds]; !ok {
		return nil
	}
	p := &ProcessUsage{CPUSeconds: used[probe.UserSeconds] + used[probe.SystemSeconds]}
	p.CPU = ratio(p.CPUSeconds, r.Seconds[len(r.Seconds)-1]*float64(cores))
	if memory := r.Find(of, probe.Memory); memory != nil {
		p.MemoryPeak = int64(slices.Max(memory.Values))
	}
	return p
}
