package result

import (
	"errors"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"brokerage/internal/tpox"
)

// Mixed is a transaction of a mix, with its share of the draws, of 1.
type Mixed struct {
	Name, Kind string
	Share      float64
}

// Tally adds up the records of a run. It is for one goroutine.
type Tally struct {
	// Watched keeps what Look returns.
	Watched bool

	mix       []Mixed
	all       []*aggregate // by transaction, up to the last interval
	interval  []*aggregate // the same since then
	perSecond []int64
	intervals []Interval
	from      time.Duration // when the interval began
	recent    *aggregate    // since the last Look
	failed    int64         // since measuring began
}

// NewTally returns an empty tally of a mix.
func NewTally(mix []Mixed) *Tally {
	n := len(mix)
	return &Tally{mix: mix, recent: newAggregate(), all: newAggregates(n), interval: newAggregates(n)}
}

// Add adds a record.
func (t *Tally) Add(r *Record) {
	t.interval[r.Transaction].add(r)
	if t.Watched && !r.Waiting {
		t.recent.add(r)
		if r.Outcome.Failed() {
			t.failed++
		}
	}
	if r.Outcome.Class == Empty || r.Waiting {
		return
	}
	second := int(r.At / time.Second)
	for second >= len(t.perSecond) {
		t.perSecond = append(t.perSecond, 0)
	}
	t.perSecond[second]++
}

// Look returns the number and the times of the transactions since the last Look, and the failures of the whole run.
func (t *Tally) Look() (count int64, times Latency, failed int64) {
	defer t.recent.reset()
	return t.recent.count, t.recent.latency(), t.failed
}

// Cut ends an interval.
func (t *Tally) Cut(now time.Duration) Interval {
	total := sum(t.interval)
	i := Interval{From: t.from.Seconds(), To: now.Seconds(), Count: total.count, Good: total.good,
		TPS: ratio(float64(total.count), (now - t.from).Seconds()), Latency: total.latency()}
	for p, a := range t.interval {
		i.Rows = append(i.Rows, a.row(t.mix[p], total.count))
		t.all[p].merge(a)
		a.reset()
	}
	t.from = now
	t.intervals = append(t.intervals, i)
	return i
}

// Finish sets the figures of a run and judges it. Its Arrivals and its measured time are set before.
func (t *Tally) Finish(r *Run) error {
	r.Intervals, r.PerSecond = t.intervals, t.perSecond
	return r.finish(t.all, t.mix)
}

// finish sets the table, by transaction, by kind and in total, with histograms, and the figures that depend on it.
func (r *Run) finish(all []*aggregate, mix []Mixed) error {
	var failed error
	total := sum(all)
	row := func(a *aggregate, of Mixed) Row {
		encoded, err := a.encoded(a.row(of, total.count))
		failed = errors.Join(failed, err)
		return encoded
	}
	r.Transactions, r.Kinds = nil, nil
	for p, a := range all {
		r.Transactions = append(r.Transactions, row(a, mix[p]))
	}
	for _, kind := range [...]tpox.Kind{tpox.Query, tpox.Update, tpox.Insert, tpox.Delete} {
		var ofKind []*aggregate
		together := Mixed{Name: kind.String(), Kind: kind.String()}
		for p, a := range all {
			if mix[p].Kind == kind.String() {
				ofKind = append(ofKind, a)
				together.Share += mix[p].Share
			}
		}
		if len(ofKind) > 0 {
			r.Kinds = append(r.Kinds, row(sum(ofKind), together))
		}
	}
	r.Total = row(total, Mixed{Name: "total", Share: 1})
	if failed != nil {
		return fmt.Errorf("encoding a histogram: %w", failed)
	}
	if a := r.Arrivals; a != nil { // those that never became a transaction
		r.Total.Dropped = a.Dropped
		r.Total.Waiting += a.Queued
		r.Total.Due += a.Dropped + a.Queued
	}
	if r.Measured > 0 {
		r.TPS = float64(r.Total.Count-r.Total.unexpected()) / r.Measured
		r.TPM = 60 * r.TPS
		r.Goodput = float64(r.Total.Good) / r.Measured
	}
	r.Validity = judge(r)
	return nil
}

// aggregate counts the outcomes and times of one transaction, or of several.
type aggregate struct {
	count, good  int64
	waiting      int64 // in progress at the end of the measured time; not in count
	late         int64 // of these, the ones answered after it
	empty        int64
	refusals     map[Outcome]int64
	total        time.Duration
	least, most  time.Duration
	distribution *hdrhistogram.Histogram // of nanoseconds
}

// hdrMethod describes the percentiles in a result.
const hdrMethod = "HdrHistogram, 3 significant digits: at most 0.1 % above the true value"

// longest is the longest time that is recorded; longer ones count as this one.
const longest = time.Hour

func newAggregate() *aggregate {
	return &aggregate{refusals: make(map[Outcome]int64), distribution: hdrhistogram.New(1, int64(longest), 3)}
}

func newAggregates(n int) (all []*aggregate) {
	for range n {
		all = append(all, newAggregate())
	}
	return all
}

func sum(of []*aggregate) *aggregate {
	total := newAggregate()
	for _, a := range of {
		total.merge(a)
	}
	return total
}

func (a *aggregate) add(r *Record) {
	class := r.Outcome.Class
	if class == Empty {
		a.empty++
		return
	}
	first := a.timed() == 0
	switch {
	case r.Waiting:
		a.waiting++
		if class == Abandoned || class == Unanswered {
			return // its time is unknown
		}
		a.late++
	case class == Good:
		a.good++
		a.count++
	default:
		a.refusals[r.Outcome]++
		a.count++
	}
	if first || r.Took < a.least {
		a.least = r.Took
	}
	a.most = max(a.most, r.Took)
	a.total += r.Took
	_ = a.distribution.RecordValue(int64(min(max(r.Took, 0), longest))) // within its bounds
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
	a.empty += from.empty
	a.total += from.total
	for o, n := range from.refusals {
		a.refusals[o] += n
	}
	a.distribution.Merge(from.distribution)
}

func (a *aggregate) reset() {
	a.distribution.Reset()
	*a = aggregate{refusals: make(map[Outcome]int64), distribution: a.distribution}
}

func (a *aggregate) latency() Latency {
	if a.timed() == 0 {
		return Latency{}
	}
	micro := func(d time.Duration) float64 { return float64(d) / 1e3 }
	percentile := func(p float64) float64 {
		return micro(min(time.Duration(a.distribution.ValueAtQuantile(p)), a.most))
	}
	return Latency{
		Total: micro(a.total), Min: micro(a.least), Max: micro(a.most), Mean: micro(a.total) / float64(a.timed()),
		P50: percentile(50), P90: percentile(90), P95: percentile(95), P99: percentile(99), P999: percentile(99.9),
	}
}

// row returns a row of the table. Its share is relative to the count of all.
func (a *aggregate) row(of Mixed, all int64) Row {
	r := Row{
		Name: of.Name, Kind: of.Kind, Weight: of.Share, Due: a.count + a.waiting, Count: a.count, Good: a.good,
		Waiting: a.waiting, Late: a.late, Empty: a.empty, Latency: a.latency(),
	}
	if all > 0 {
		r.Share = float64(a.count) / float64(all)
	}
	for o, n := range a.refusals {
		if o.Class == Expected {
			Count(&r.Expected, o.Reason, n)
		} else {
			Count(&r.Unexpected, o.Reason, n)
		}
	}
	r.Unanswered = r.Unexpected[NoAnswer] + r.Unexpected[Timeout]
	return r
}

// Count adds to a count by reason.
func Count(counts *map[string]int64, reason string, n int64) { //nolint:gocritic // it makes the map
	if *counts == nil {
		*counts = make(map[string]int64)
	}
	(*counts)[reason] += n
}

// encoded returns the row with the histogram of its times, which can be merged with others.
func (a *aggregate) encoded(r Row) (Row, error) {
	data, err := a.distribution.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	r.Histogram = &Histogram{hdrMethod, "nanoseconds", "hdr-v2-deflate-base64", string(data)}
	return r, err
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
