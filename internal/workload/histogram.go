package workload

import (
	"errors"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// HDRMethod describes the percentiles in a result.
const HDRMethod = "HdrHistogram, 3 significant digits: at most 0.1 % above the true value"

const (
	hdrEncoding = "hdr-v2-deflate-base64"
	nanoseconds = "nanoseconds"
	hdrDigits   = 3
	hdrLongest  = int64(time.Hour)
)

func newHDR() *hdrhistogram.Histogram { return hdrhistogram.New(1, hdrLongest, hdrDigits) }

// EncodeHistogram returns a histogram in the form that results have.
func EncodeHistogram(h *hdrhistogram.Histogram) (*Histogram, error) {
	data, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, fmt.Errorf("encoding a histogram: %w", err)
	}
	return &Histogram{Method: HDRMethod, Unit: nanoseconds, Encoding: hdrEncoding, Data: string(data)}, nil
}

// Decode returns the histogram that EncodeHistogram encoded.
func (h *Histogram) Decode() (*hdrhistogram.Histogram, error) {
	if h.Encoding != hdrEncoding || h.Unit != nanoseconds {
		return nil, fmt.Errorf("a histogram of %s in %s is not supported", h.Unit, h.Encoding)
	}
	decoded, err := hdrhistogram.Decode([]byte(h.Data))
	if err != nil {
		return nil, fmt.Errorf("decoding a histogram: %w", err)
	}
	return decoded, nil
}

// tally counts the outcomes and times of one transaction, or of several.
type tally struct {
	count, good  int64
	waiting      int64 // in progress at the end of the measured time; not in count
	late         int64 // of these, the ones answered after it
	emptied      int64
	refusals     map[outcome]int64
	total        int64 // nanoseconds
	least, most  int64 // nanoseconds
	distribution *hdrhistogram.Histogram
}

func newTally() *tally { return &tally{refusals: make(map[outcome]int64), distribution: newHDR()} }

func (t *tally) add(s *sample) {
	class := s.outcome.class
	if class == emptied {
		t.emptied++
		return
	}
	first := t.timed() == 0
	switch {
	case s.waiting:
		t.waiting++
		if class == abandoned || class == unanswered {
			return // its time is unknown
		}
		t.late++
	case class == good:
		t.good++
		t.count++
	default:
		t.refusals[s.outcome]++
		t.count++
	}
	if first || s.took < t.least {
		t.least = s.took
	}
	t.most = max(t.most, s.took)
	t.total += s.took
	_ = t.distribution.RecordValue(min(max(s.took, 0), hdrLongest)) // within its bounds
}

// timed returns the number of times in the distribution.
func (t *tally) timed() int64 { return t.count + t.late }

func (t *tally) merge(from *tally) {
	if from.timed() > 0 && (t.timed() == 0 || from.least < t.least) {
		t.least = from.least
	}
	t.most = max(t.most, from.most)
	t.count += from.count
	t.good += from.good
	t.waiting += from.waiting
	t.late += from.late
	t.emptied += from.emptied
	t.total += from.total
	for o, n := range from.refusals {
		t.refusals[o] += n
	}
	t.distribution.Merge(from.distribution)
}

func (t *tally) reset() {
	t.distribution.Reset()
	*t = tally{refusals: make(map[outcome]int64), distribution: t.distribution}
}

func (t *tally) latency() Latency {
	if t.timed() == 0 {
		return Latency{}
	}
	micro := func(n int64) float64 { return float64(n) / 1e3 }
	percentile := func(p float64) float64 { return micro(min(t.distribution.ValueAtQuantile(p), t.most)) }
	return Latency{
		Total: micro(t.total), Min: micro(t.least), Max: micro(t.most), Mean: micro(t.total) / float64(t.timed()),
		P50: percentile(50), P90: percentile(90), P95: percentile(95), P99: percentile(99), P999: percentile(99.9),
	}
}

// row returns a row of the table. Its share is relative to the count of all.
func (t *tally) row(name, kind string, weight float64, all int64) Row {
	r := Row{
		Name: name, Kind: kind, Weight: weight, Due: t.count + t.waiting, Count: t.count, Good: t.good,
		Waiting: t.waiting, Late: t.late, Empty: t.emptied, Latency: t.latency(),
	}
	if all > 0 {
		r.Share = float64(t.count) / float64(all)
	}
	for o, n := range t.refusals {
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

// tallyOf returns the tally that a row was made of, which needs the histogram.
func tallyOf(r *Row) (*tally, error) {
	t := newTally()
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
