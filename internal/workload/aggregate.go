package workload

import (
	"errors"
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// An aggregate counts the outcomes and times of one transaction, or of several.
type aggregate struct {
	count, good  int64
	waiting      int64 // in progress at the end of the measured time; not in count
	late         int64 // of these, the ones answered after it
	emptied      int64
	refusals     map[outcome]int64
	total        int64 // nanoseconds
	least, most  int64 // nanoseconds
	distribution *hdrhistogram.Histogram
}

func newAggregate() *aggregate {
	return &aggregate{refusals: make(map[outcome]int64), distribution: newHDR()}
}

func (a *aggregate) add(s *sample) {
	class := s.outcome.class
	if class == emptied {
		a.emptied++
		return
	}
	first := a.timed() == 0
	switch {
	case s.waiting:
		a.waiting++
		if class == abandoned || class == unanswered {
			return // its time is unknown
		}
		a.late++
	case class == good:
		a.good++
		a.count++
	default:
		a.refusals[s.outcome]++
		a.count++
	}
	if first || s.took < a.least {
		a.least = s.took
	}
	a.most = max(a.most, s.took)
	a.total += s.took
	_ = a.distribution.RecordValue(min(max(s.took, 0), hdrLongest)) // within its bounds
}

// timed returns the number of times in the distribution.
func (a *aggregate) timed() int64 { return a.count + a.late }

func (a *aggregate) merge(from *aggregate) {
	if from.timed() > 0 && (a.timed() == 0 || from.least < a.least) {
		a.least = from.least
	}
	a.most = max(a.most, from.most)
	a.count += from.count
	a.good += from.good
	a.waiting += from.waiting
	a.late += from.late
	a.emptied += from.emptied
	a.total += from.total
	for o, n := range from.refusals {
		a.refusals[o] += n
	}
	a.distribution.Merge(from.distribution)
}

func (a *aggregate) reset() {
	a.distribution.Reset()
	*a = aggregate{refusals: make(map[outcome]int64), distribution: a.distribution}
}

func (a *aggregate) latency() Latency {
	if a.timed() == 0 {
		return Latency{}
	}
	micro := func(n int64) float64 { return float64(n) / 1e3 }
	percentile := func(p float64) float64 { return micro(min(a.distribution.ValueAtQuantile(p), a.most)) }
	return Latency{
		Total: micro(a.total), Min: micro(a.least), Max: micro(a.most), Mean: micro(a.total) / float64(a.timed()),
		P50: percentile(50), P90: percentile(90), P95: percentile(95), P99: percentile(99), P999: percentile(99.9),
	}
}

// row returns a row of the table. Its share is relative to the count of all.
func (a *aggregate) row(name, kind string, weight float64, all int64) Row {
	r := Row{
		Name: name, Kind: kind, Weight: weight, Due: a.count + a.waiting, Count: a.count, Good: a.good,
		Waiting: a.waiting, Late: a.late, Empty: a.emptied, Latency: a.latency(),
	}
	if all > 0 {
		r.Share = float64(a.count) / float64(all)
	}
	for o, n := range a.refusals {
		into := &r.Unexpected
		if o.class == expected {
			into = &r.Expected
		}
		if *into == nil {
			*into = make(map[string]int64)
		}
		(*into)[o.reason] += n
	}
	r.Unanswered = r.Unexpected[reasonNoAnswer] + r.Unexpected[reasonTimeout]
	return r
}

// aggregateOf returns the aggregate that a row was made of, which needs the histogram.
func aggregateOf(r *Row) (*aggregate, error) {
	t := newAggregate()
	t.count, t.good, t.waiting, t.late, t.emptied = r.Count, r.Good, r.Waiting, r.Late, r.Empty
	t.total, t.least, t.most = int64(r.Latency.Total*1e3+.5), int64(r.Latency.Min*1e3+.5), int64(r.Latency.Max*1e3+.5)
	for reason, n := range r.Expected {
		t.refusals[outcome{expected, reason}] = n
	}
	for reason, n := range r.Unexpected {
		t.refusals[outcome{unexpected, reason}] = n
	}
	if r.Histogram == nil {
		return nil, errors.New("a row without a histogram cannot be merged")
	}
	h, err := r.Histogram.Decode()
	if err != nil {
		return nil, err
	}
	if dropped := t.distribution.Merge(h); dropped > 0 {
		return nil, fmt.Errorf("%d values of a histogram are above an hour", dropped)
	}
	return t, nil
}

func unexpectedOf(r *Row) (n int64) {
	for _, times := range r.Unexpected {
		n += times
	}
	return n
}
