package result

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// mostApart is the longest time between the beginnings of the measured times of two parts, in seconds, and mostApartOf
// the same as a share of the measured time; the longer of the two counts.
const (
	mostApart   = 1.0
	mostApartOf = 0.02
)

// Merge returns the result of a load that several load generators have issued, from the results of its parts. Counts
// and histograms are added, so that percentiles are those of all transactions. The names are those of the files, for
// errors: one line that says why the results are not the parts of one load.
func Merge(names []string, runs []*Run) (*Run, error) {
	if err := belong(names, runs); err != nil {
		return nil, err
	}
	runs = slices.Clone(runs)
	slices.SortFunc(runs, func(a, b *Run) int { return cmp.Compare(a.Part.Number, b.Part.Number) })
	all, err := added(runs)
	if err != nil {
		return nil, err
	}
	m := *runs[0]
	m.Part, m.Parts, m.Prepared, m.Arrivals, m.PerSecond, m.Intervals, m.Curve = nil, nil, nil, nil, nil, nil, nil
	for _, r := range runs {
		if r.Ended != Complete {
			m.Ended = r.Ended
		}
		if r.Started.Before(m.Started) {
			m.Started = r.Started
		}
		m.Warmed, m.Measured = min(m.Warmed, r.Warmed), max(m.Measured, r.Measured)
		m.Target.SameHost = m.Target.SameHost || r.Target.SameHost
		m.Prepared = merge(m.Prepared, r.Prepared, Prepared.And)
		m.Arrivals = merge(m.Arrivals, r.Arrivals, Arrivals.and)
		for second, n := range r.PerSecond {
			if second == len(m.PerSecond) {
				m.PerSecond = append(m.PerSecond, 0)
			}
			m.PerSecond[second] += n
		}
		m.Parts = append(m.Parts, r.described())
	}
	m.Usage, m.Resources = usageOf(runs), resourcesOf(runs)
	return &m, m.finish(all, mixOf(m.Transactions))
}

// belong returns an error unless the runs are the parts of one load, each once.
func belong(names []string, runs []*Run) error {
	if len(runs) == 0 {
		return errors.New("there is nothing to merge")
	}
	first, given := runs[0], make(map[int]string)
	for n, r := range runs {
		if r.Part == nil {
			return fmt.Errorf("%s is not a part of a load: brokerage drive --part makes parts", names[n])
		}
		if what, a, b := difference(first, r); what != "" {
			return fmt.Errorf("%s and %s are not parts of one load: %s is %s in the first and %s in the second",
				names[0], names[n], what, a, b)
		}
		if other, twice := given[r.Part.Number]; twice {
			return fmt.Errorf("%s and %s are both part %d of %d", other, names[n], r.Part.Number, r.Part.Of)
		}
		given[r.Part.Number] = names[n]
	}
	var missing []string
	for number := range first.Part.Of {
		if _, ok := given[number+1]; !ok {
			missing = append(missing, strconv.Itoa(number+1))
		}
	}
	switch {
	case len(missing) == 1:
		return fmt.Errorf("part %s of %d is missing", missing[0], first.Part.Of)
	case len(missing) > 1:
		return fmt.Errorf("parts %s of %d are missing", strings.Join(missing, ", "), first.Part.Of)
	}
	return nil
}

// difference returns what two parts of one load must have in common but do not, and the two values.
func difference(a, b *Run) (what, ofA, ofB string) {
	for _, same := range []struct {
		what string
		a, b any
	}{
		{"the tool", a.Tool, b.Tool}, {"the commit", a.Commit, b.Commit},
		{"the number of parts", a.Part.Of, b.Part.Of}, {"the seed", a.Seed, b.Seed},
		{"the name of the workload", a.Workload.Name, b.Workload.Name},
		{"the hash of the workload", a.Workload.SHA256, b.Workload.SHA256}, {"the workload", a.Workload, b.Workload},
		{"the dataset", a.Dataset.Fingerprint, b.Dataset.Fingerprint}, {"the dataset", a.Dataset, b.Dataset},
		{"the model", a.Model, b.Model}, {"the ramp", a.Ramp, b.Ramp}, {"the duration", a.Duration, b.Duration},
		{"the kind of target", a.Target.Kind, b.Target.Kind}, {"the engine", a.Target.Engine, b.Target.Engine},
		{"the version of the service", a.Target.Version, b.Target.Version},
		{"the time to start", a.Part.StartAt.Format(time.RFC3339), b.Part.StartAt.Format(time.RFC3339)},
	} {
		if !reflect.DeepEqual(same.a, same.b) {
			return same.what, fmt.Sprintf("%+v", same.a), fmt.Sprintf("%+v", same.b)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Settings)) {
		if a.Settings[name] != b.Settings[name] {
			return "the setting " + name, strconv.Quote(a.Settings[name]), strconv.Quote(b.Settings[name])
		}
	}
	if len(a.Settings) != len(b.Settings) {
		return "the number of settings", strconv.Itoa(len(a.Settings)), strconv.Itoa(len(b.Settings))
	}
	return "", "", ""
}

// described returns the description of a part in the merged result.
func (r *Run) described() LoadPart {
	p := *r.Part
	p.Measuring = r.Started.Add(time.Duration(r.Warmed * float64(time.Second)))
	p.Measured, p.TPS, p.Generator, p.Machine = r.Measured, r.TPS, &r.Usage.Generator, &r.Machine
	return p
}

// apart returns the seconds between the beginnings of the measured times of the first and the last part.
func (r *Run) apart() float64 {
	earlier := func(a, b LoadPart) int { return a.Measuring.Compare(b.Measuring) }
	return slices.MaxFunc(r.Parts, earlier).Measuring.Sub(slices.MinFunc(r.Parts, earlier).Measuring).Seconds()
}

// added adds up the transactions of several runs, which are the same in the same order.
func added(runs []*Run) (all []*aggregate, err error) {
	for _, r := range runs {
		for i := range r.Transactions {
			a, err := r.Transactions[i].aggregate()
			switch {
			case err != nil:
				return nil, fmt.Errorf("part %d: %s: %w", r.Part.Number, r.Transactions[i].Name, err)
			case i == len(all):
				all = append(all, a)
			default:
				all[i].merge(a)
			}
		}
	}
	return all, nil
}

// aggregate returns what the row was made of.
func (r *Row) aggregate() (*aggregate, error) {
	nanoseconds := func(micro float64) time.Duration { return time.Duration(micro*1e3 + .5) }
	a := newAggregate()
	a.count, a.good, a.waiting, a.late, a.empty = r.Count, r.Good, r.Waiting, r.Late, r.Empty
	a.total, a.least, a.most = nanoseconds(r.Latency.Total), nanoseconds(r.Latency.Min), nanoseconds(r.Latency.Max)
	switch {
	case r.Histogram != nil:
		var err error
		if a.distribution, err = hdrhistogram.Decode([]byte(r.Histogram.Data)); err != nil {
			return nil, fmt.Errorf("its histogram cannot be read: %w", err)
		}
		if n := a.distribution.TotalCount(); n != r.Count+r.Late {
			return nil, fmt.Errorf("its histogram has %d times, but there are %d", n, r.Count+r.Late)
		}
	case r.Latency.Max > 0:
		return nil, errors.New("the result has no histogram, and percentiles cannot be added")
	}
	for reason, n := range r.Expected {
		a.refusals[Outcome{Expected, reason}] = n
	}
	for reason, n := range r.Unexpected {
		a.refusals[Outcome{Unexpected, reason}] = n
	}
	return a, nil
}

// mixOf returns the mix of the rows of a table.
func mixOf(rows []Row) (mix []Mixed) {
	for i := range rows {
		mix = append(mix, Mixed{rows[i].Name, rows[i].Kind, rows[i].Weight})
	}
	return mix
}

// resourcesOf returns what was sampled of the target, which is the same for all parts, unless they called it by
// different URLs. What one part sampled of its own computer and process says nothing of the others.
func resourcesOf(runs []*Run) *Resources {
	first := runs[0].Resources
	if first == nil || slices.ContainsFunc(runs, func(r *Run) bool { return r.Target.URL != runs[0].Target.URL }) {
		return nil
	}
	r := *first
	r.Series = slices.DeleteFunc(slices.Clone(r.Series), func(s Series) bool {
		return s.Of == OfHost || s.Of == OfGenerator
	})
	return &r
}

// usageOf returns what the load generators used together. Their share of the processors is that of the computer where
// it was highest. The service is the same for all parts, unless they called it by different URLs.
func usageOf(runs []*Run) Usage {
	u := runs[0].Usage
	shares := make(map[string]float64) // of the processors, by host
	u.Generator = ProcessUsage{}
	for _, r := range runs {
		g := r.Usage.Generator
		u.Generator.CPUSeconds += g.CPUSeconds
		u.Generator.MemoryBefore += g.MemoryBefore
		u.Generator.MemoryAfter += g.MemoryAfter
		u.Generator.MemoryPeak += g.MemoryPeak
		shares[r.Part.Host] += g.CPU
		u.Generator.CPU = max(u.Generator.CPU, shares[r.Part.Host])
		if h := r.Usage.Host; h != nil && (u.Host == nil || h.CPU > u.Host.CPU) {
			u.Host = h
		}
		if r.Target.URL != runs[0].Target.URL {
			u.Service = nil
		}
	}
	u.Others = nil
	for _, r := range runs {
		if o := r.Usage.Others; o != nil { // the other parts on the same computer are not others
			rest := max(0, *o-(shares[r.Part.Host]-r.Usage.Generator.CPU))
			if u.Others == nil || rest > *u.Others {
				u.Others = &rest
			}
		}
	}
	return u
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

// And returns the sum of what two users, or two load generators, prepared at the same time.
func (p Prepared) And(other Prepared) Prepared {
	p.Seconds = max(p.Seconds, other.Seconds)
	p.Orders += other.Orders
	p.Customers += other.Customers
	p.Unexpected = maps.Clone(p.Unexpected)
	for reason, n := range other.Unexpected {
		Count(&p.Unexpected, reason, n)
	}
	return p
}
