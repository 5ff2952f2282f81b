package workload

import (
	"cmp"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// aggregate counts the outcomes and times of one transaction, or of several.
type aggregate struct {
	count, good  int64
	waiting      int64 // in progress at the end of the measured time; not in count
	late         int64 // of these, the ones answered after it
	emptied      int64
	refusals     map[outcome]int64
	total        int64 // nanoseconds
	least, most  int64 // nanoseconds
	distribution *hdrhistogram.Histogram
	method       string // of the distribution; empty for hdrMethod
}

// hdrMethod describes the percentiles in a result.
const hdrMethod = "HdrHistogram, 3 significant digits: at most 0.1 % above the true value"

// hdrLongest is the longest time that is recorded, in nanoseconds; longer ones count as this one.
const hdrLongest = int64(time.Hour)

func newAggregate() *aggregate {
	return &aggregate{refusals: make(map[outcome]int64), distribution: hdrhistogram.New(1, hdrLongest, 3)}
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
	a.method = cmp.Or(a.method, from.method)
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
		if o.class == expected {
			count(&r.Expected, o.reason, n)
		} else {
			count(&r.Unexpected, o.reason, n)
		}
	}
	r.Unanswered = r.Unexpected[reasonNoAnswer] + r.Unexpected[reasonTimeout]
	return r
}

// count adds to a count by reason.
func count(counts *map[string]int64, reason string, n int64) { //nolint:gocritic // it makes the map
	if *counts == nil {
		*counts = make(map[string]int64)
	}
	(*counts)[reason] += n
}

// encoded returns the row with the histogram of its times, which can be merged with others.
func (a *aggregate) encoded(r Row) (Row, error) {
	data, err := a.distribution.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	r.Histogram = &Histogram{cmp.Or(a.method, hdrMethod), "nanoseconds", "hdr-v2-deflate-base64", string(data)}
	return r, err
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
