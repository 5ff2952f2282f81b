package result

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// The measured times of two parts may begin mostApart seconds apart, or mostApartOf of the measured time if that is
// longer.
const (
	mostApart   = 1.0
	mostApartOf = 0.02
)

// Merge returns the result of a load that several load generators have issued, from the results of its parts. Counts
// and histograms are added, so that percentiles are those of all transactions. An error says in one line why the
// results are not the parts of one load.
func Merge(names []string, runs []*Run) (*Run, error) {
	if err := belong(names, runs); err != nil {
		return nil, err
	}
	runs = slices.SortedFunc(slices.Values(runs), func(a, b *Run) int { return cmp.Compare(a.Part.Number, b.Part.Number) })
	m, t := *runs[0], NewTally(runs[0].Transactions)
	m.Part, m.Prepared, m.Arrivals, m.Resources, m.Usage = nil, nil, nil, nil, usageOf(runs)
	for _, r := range runs {
		for i, row := range r.Transactions {
			if err := row.reopen(); err != nil {
				return nil, fmt.Errorf("part %d: %w", r.Part.Number, err)
			}
			t.rows[i].merge(&row)
		}
		if r.Ended != Complete {
			m.Ended = r.Ended
		}
		if r.Started.Before(m.Started) {
			m.Started = r.Started
		}
		m.Warmed, m.Measured = min(m.Warmed, r.Warmed), max(m.Measured, r.Measured)
		m.Target.SameHost = m.Target.SameHost || r.Target.SameHost
		t.perSecond = append(t.perSecond, make([]int64, max(0, len(r.PerSecond)-len(t.perSecond)))...)
		for second, n := range r.PerSecond {
			t.perSecond[second] += n
		}
		if p := r.Prepared; p != nil {
			all := *cmp.Or(m.Prepared, &Prepared{})
			m.Prepared = &Prepared{Orders: all.Orders + p.Orders, Customers: all.Customers + p.Customers,
				Unexpected: all.Unexpected}
			for reason, n := range p.Unexpected {
				Count(&m.Prepared.Unexpected, reason, n)
			}
		}
		if a := r.Arrivals; a != nil {
			all := *cmp.Or(m.Arrivals, &Arrivals{})
			m.Arrivals = &Arrivals{all.Due + a.Due, all.Started + a.Started, all.Dropped + a.Dropped, all.Queued + a.Queued,
				all.Late + a.Late}
		}
		p := *r.Part
		p.Measuring = r.Started.Add(time.Duration(r.Warmed * float64(time.Second)))
		p.Measured, p.TPS, p.Generator, p.Machine = r.Measured, r.TPS, &r.Usage.Generator, &r.Machine
		m.Parts = append(m.Parts, p)
	}
	t.Finish(&m)
	return &m, nil
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
			return fmt.Errorf("%s and %s are not parts of one load: %s %+v in the first and %+v in the second",
				names[0], names[n], what, a, b)
		}
		if other, twice := given[r.Part.Number]; twice {
			return fmt.Errorf("%s and %s are both part %d of %d", other, names[n], r.Part.Number, r.Part.Of)
		}
		given[r.Part.Number] = names[n]
	}
	for number := 1; number <= first.Part.Of; number++ {
		if _, ok := given[number]; !ok {
			return fmt.Errorf("part %d of %d is missing", number, first.Part.Of)
		}
	}
	return nil
}

// difference returns what two parts of one load must have in common but do not, and the two values.
func difference(a, b *Run) (what string, ofA, ofB any) {
	target := func(r *Run) string { return r.Target.Kind + " " + r.Target.Engine + " " + r.Target.Version }
	for _, same := range []struct {
		what string
		a, b any
	}{
		{"the tool is", a.Tool, b.Tool}, {"the commit is", a.Commit, b.Commit},
		{"the number of parts is", a.Part.Of, b.Part.Of}, {"the seed is", a.Seed, b.Seed},
		{"the workload is", a.Workload, b.Workload},
		{"the number of transactions is", len(a.Transactions), len(b.Transactions)},
		{"the dataset is", a.Dataset, b.Dataset}, {"the model is", a.Model, b.Model}, {"the ramp is", a.Ramp, b.Ramp},
		{"the duration is", a.Duration, b.Duration}, {"the target is", target(a), target(b)},
		{"the time to start is", a.Part.StartAt.UTC(), b.Part.StartAt.UTC()}, {"the settings are", a.Settings, b.Settings},
	} {
		if !reflect.DeepEqual(same.a, same.b) {
			return same.what, same.a, same.b
		}
	}
	return "", nil, nil
}

// usageOf returns what the load generators used together. Their share of the processors is that of the computer where
// it was highest. The service's usage is that of the first part, or nil if the parts called different URLs.
func usageOf(runs []*Run) Usage {
	u := runs[0].Usage
	u.Generator, u.Others = ProcessUsage{}, nil
	shares := make(map[string]float64) // of the processors that all parts on a computer used
	for _, r := range runs {
		shares[r.Part.Host] += r.Usage.Generator.CPU
	}
	for _, r := range runs {
		own, together := r.Usage.Generator, shares[r.Part.Host]
		u.Generator.CPUSeconds += own.CPUSeconds
		u.Generator.CPU = max(u.Generator.CPU, together)
		if h := r.Usage.Host; h != nil && (u.Host == nil || h.CPU > u.Host.CPU) {
			u.Host = h
		}
		if o := r.Usage.Others; o != nil { // the other parts on the same computer are not others
			u.Others = new(max(*cmp.Or(u.Others, new(0.)), *o-(together-own.CPU)))
		}
		if r.Target.URL != runs[0].Target.URL {
			u.Service = nil
		}
	}
	return u
}
