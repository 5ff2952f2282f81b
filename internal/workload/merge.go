package workload

import (
	"cmp"
	"errors"
	"maps"
)

// inTurn returns the result of runs of one workload on one target that were made in turn with others, in this process:
// counts are added, and percentiles are those of all transactions.
func inTurn(runs []*Run) (*Run, error) {
	all, err := added(runs)
	if err != nil {
		return nil, err
	}
	m := *runs[0]
	for _, r := range runs[1:] {
		if r.Dataset != m.Dataset || r.Target != m.Target {
			return nil, errors.New("runs of different workloads, targets or datasets cannot be merged")
		}
		for _, i := range r.Intervals {
			i.From += m.Measured
			i.To += m.Measured
			m.Intervals = append(m.Intervals, i)
		}
		m.PerSecond = append(m.PerSecond, r.PerSecond...)
		m.Prepared = merge(m.Prepared, r.Prepared, Prepared.and)
		m.Arrivals = merge(m.Arrivals, r.Arrivals, Arrivals.and)
		m.Usage = m.Usage.and(r.Usage, m.Measured, r.Measured)
		m.Resources = nil // other runs lie between
		m.Measured += r.Measured
		m.Duration += r.Duration
		m.Warmed = min(m.Warmed, r.Warmed)
		if r.Ended != Complete {
			m.Ended = r.Ended
		}
	}
	m.Usage.Shared, m.Usage.Service = true, nil // the figures of the service are those of this process
	return &m, m.total(all, partsOf(m.Transactions))
}

// merge returns the sum of two values, of which either may be missing.
func merge[T any](a, b *T, and func(a, b T) T) *T {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return new(and(*a, *b))
}

func (a Arrivals) and(b Arrivals) Arrivals {
	return Arrivals{a.Due + b.Due, a.Started + b.Started, a.Dropped + b.Dropped, a.Queued + b.Queued, a.Late + b.Late}
}

func (p Prepared) and(other Prepared) Prepared {
	p.Seconds += other.Seconds
	p.Orders += other.Orders
	p.Customers += other.Customers
	p.Unexpected = maps.Clone(p.Unexpected)
	for reason, n := range other.Unexpected {
		count(&p.Unexpected, reason, n)
	}
	return p
}

// beside returns the sum of what was prepared at the same time.
func (p Prepared) beside(other Prepared) Prepared {
	seconds := max(p.Seconds, other.Seconds)
	p = p.and(other)
	p.Seconds = seconds
	return p
}

// and returns the usage of two runs together, of a seconds and then of b seconds: that of the generator and the host,
// and the figures of the backend.
func (u Usage) and(other Usage, a, b float64) Usage {
	weighted := func(x, y float64) float64 { return (x*a + y*b) / max(a+b, 1e-9) }
	g, o := u.Generator, other.Generator
	sum := Usage{Generator: ProcessUsage{
		CPUSeconds: g.CPUSeconds + o.CPUSeconds, CPU: weighted(g.CPU, o.CPU),
		MemoryBefore: g.MemoryBefore, MemoryAfter: o.MemoryAfter, MemoryPeak: max(g.MemoryPeak, o.MemoryPeak),
	}}
	sum.Host = merge(u.Host, other.Host, func(h, o Host) Host {
		return Host{
			weighted(h.CPU, o.CPU), weighted(h.IOWait, o.IOWait), h.ReadBytes + o.ReadBytes, h.WriteBytes + o.WriteBytes,
		}
	})
	if sum.Figures = maps.Clone(u.Figures); sum.Figures == nil {
		sum.Figures = other.Figures
	}
	for name, before := range u.Figures {
		if after, ok := other.Figures[name]; ok {
			sum.Figures[name] = Change{before.Before, after.After}
		}
	}
	return sum
}
