package workload

import (
	"errors"
	"maps"
)

var errDifferent = errors.New("runs of different workloads, targets or datasets cannot be merged")

// Merge returns runs of the same workload on the same target as one run: counts are added, and percentiles are those of
// all transactions.
func Merge(runs []*Run) (*Run, error) {
	if len(runs) == 0 {
		return nil, errors.New("there is no run to merge")
	}
	m := *runs[0]
	m.Prepared, m.Intervals, m.PerSecond, m.Arrivals = nil, nil, nil, nil
	m.Usage = Usage{Shared: m.Usage.Shared}
	m.Measured, m.Warmed, m.Duration = 0, runs[0].Warmed, 0
	var mix []part
	var all []*aggregate
	for i := range m.Transactions {
		t := named(m.Transactions[i].Name)
		if t == nil {
			return nil, errors.New("there is no transaction " + m.Transactions[i].Name)
		}
		mix, all = append(mix, part{t, m.Transactions[i].Weight}), append(all, newAggregate())
	}
	for _, r := range runs {
		if r.Workload.SHA256 != m.Workload.SHA256 || r.Target != m.Target || r.Dataset != m.Dataset ||
			len(r.Transactions) != len(mix) {
			return nil, errDifferent
		}
		for i := range r.Transactions {
			row := &r.Transactions[i]
			if row.Name != mix[i].Name {
				return nil, errDifferent
			}
			t, err := aggregateOf(row)
			if err != nil {
				return nil, err
			}
			all[i].merge(t)
		}
		m.add(r)
	}
	var err error
	if m.Transactions, m.Kinds, m.Total, err = rows(all, mix); err != nil {
		return nil, err
	}
	m.countArrivals()
	m.rates()
	m.Validity = judge(&m)
	return &m, nil
}

// add adds everything but the rows.
func (r *Run) add(other *Run) {
	for _, i := range other.Intervals {
		i.From += r.Measured
		i.To += r.Measured
		r.Intervals = append(r.Intervals, i)
	}
	r.PerSecond = append(r.PerSecond, other.PerSecond...)
	if p := other.Prepared; p != nil {
		if r.Prepared == nil {
			r.Prepared = &Prepared{}
		}
		r.Prepared.add(p, r.Prepared.Seconds+p.Seconds)
	}
	if a := other.Arrivals; a != nil {
		if r.Arrivals == nil {
			r.Arrivals = &Arrivals{}
		}
		r.Arrivals.Due += a.Due
		r.Arrivals.Started += a.Started
		r.Arrivals.Dropped += a.Dropped
		r.Arrivals.Queued += a.Queued
		r.Arrivals.Late += a.Late
	}
	r.Usage.add(&other.Usage, r.Measured, other.Measured)
	r.Measured += other.Measured
	r.Duration += other.Duration
	r.Warmed = min(r.Warmed, other.Warmed)
	if other.Ended != Complete {
		r.Ended = other.Ended
	}
}

// add adds what was used in b seconds to what was used in a seconds.
func (u *Usage) add(other *Usage, a, b float64) {
	u.Generator = u.Generator.and(other.Generator, a, b)
	if s := other.Service; s != nil {
		both := *s
		if u.Service != nil {
			both = u.Service.and(*s, a, b)
		}
		u.Service = &both
	}
	if h := other.Host; h != nil {
		both := *h
		if u.Host != nil {
			both = Host{
				CPU:        weighted(u.Host.CPU, h.CPU, a, b),
				IOWait:     weighted(u.Host.IOWait, h.IOWait, a, b),
				ReadBytes:  u.Host.ReadBytes + h.ReadBytes,
				WriteBytes: u.Host.WriteBytes + h.WriteBytes,
			}
		}
		u.Host = &both
	}
	if u.Figures == nil {
		u.Figures = maps.Clone(other.Figures)
		return
	}
	for name, c := range other.Figures {
		if first, ok := u.Figures[name]; ok {
			u.Figures[name] = Change{first.Before, c.After}
		}
	}
}

func (p Process) and(other Process, a, b float64) Process {
	sum := Process{
		CPUSeconds: p.CPUSeconds + other.CPUSeconds, CPU: weighted(p.CPU, other.CPU, a, b),
		MemoryBefore: p.MemoryBefore, MemoryAfter: other.MemoryAfter, MemoryPeak: max(p.MemoryPeak, other.MemoryPeak),
	}
	if a == 0 {
		sum.MemoryBefore = other.MemoryBefore
	}
	return sum
}

func weighted(x, y, a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return (x*a + y*b) / (a + b)
}
