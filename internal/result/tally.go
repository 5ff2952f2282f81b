package result

import (
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"brokerage/internal/tpox"
)

// Tally adds up the records of a run. It is for one goroutine.
type Tally struct {
	rows      []Row         // by transaction
	interval  Row           // since the last Cut
	from      time.Duration // time of the last Cut
	intervals []Interval
	perSecond []int64
}

// NewTally returns an empty tally of a mix: the names, kinds and weights of rows.
func NewTally(mix []Row) *Tally {
	t := &Tally{interval: newRow("", "", 0)}
	for i := range mix {
		t.rows = append(t.rows, newRow(mix[i].Name, mix[i].Kind, mix[i].Weight))
	}
	return t
}

// Add adds a record.
func (t *Tally) Add(r *Record) {
	t.rows[r.Transaction].add(r)
	t.interval.add(r)
	if r.Outcome.Class == Empty || r.Waiting {
		return
	}
	second := int(r.At / time.Second)
	for second >= len(t.perSecond) {
		t.perSecond = append(t.perSecond, 0)
	}
	t.perSecond[second]++
}

// Cut ends an interval at now and returns it.
func (t *Tally) Cut(now time.Duration) Interval {
	i := t.interval.between(t.from, now)
	t.interval, t.from = newRow("", "", 0), now
	t.intervals = append(t.intervals, i)
	return i
}

// Finish sets the figures of a run and judges it. Arrivals, Measured and what judge reads must be set before.
func (t *Tally) Finish(r *Run) {
	if n := len(t.perSecond); n > 0 && n < int(r.Measured) { // nothing was answered in the last seconds
		t.perSecond = append(t.perSecond, make([]int64, int(r.Measured)-n)...)
	}
	r.Intervals, r.PerSecond = t.intervals, t.perSecond
	r.Transactions, r.Kinds, r.Total = t.rows, nil, newRow("total", "", 1)
	for _, kind := range [...]tpox.Kind{tpox.Query, tpox.Update, tpox.Insert, tpox.Delete} {
		sum := newRow(kind.String(), kind.String(), 0)
		for i := range t.rows {
			if row := &t.rows[i]; row.Kind == sum.Kind {
				sum.merge(row)
				sum.Weight += row.Weight
			}
		}
		if sum.Weight > 0 {
			r.Kinds = append(r.Kinds, sum)
		}
		r.Total.merge(&sum)
	}
	for i := range r.Transactions {
		r.Transactions[i].finish(r.Total.Count)
	}
	for i := range r.Kinds {
		r.Kinds[i].finish(r.Total.Count)
	}
	r.Total.finish(r.Total.Count)
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
}

// longest is the longest time that is recorded; longer ones count as this one.
const longest = time.Hour

func newRow(name, kind string, weight float64) Row {
	return Row{Name: name, Kind: kind, Weight: weight, times: hdrhistogram.New(1, int64(longest), 3)}
}

// add adds a record to a row that is not finished.
func (r *Row) add(record *Record) {
	class, reason := record.Outcome.Class, record.Outcome.Reason
	if class == Empty {
		r.Empty++
		return
	}
	r.Due++
	switch {
	case record.Waiting && (class == Abandoned || class == Unanswered):
		r.Waiting++
		return // its time is unknown
	case record.Waiting:
		r.Waiting++
		r.Late++
	case class == Good:
		r.Count++
		r.Good++
	case class == Expected:
		r.Count++
		Count(&r.Expected, reason, 1)
	default:
		r.Count++
		Count(&r.Unexpected, reason, 1)
		if class == Unanswered {
			r.Unanswered++
		}
	}
	_ = r.times.RecordValue(int64(min(max(record.Took, 0), longest))) // within its bounds
}

// merge adds another row to a row that is not finished.
func (r *Row) merge(from *Row) {
	r.Due += from.Due
	r.Count += from.Count
	r.Good += from.Good
	r.Unanswered += from.Unanswered
	r.Waiting += from.Waiting
	r.Late += from.Late
	r.Empty += from.Empty
	for reason, n := range from.Expected {
		Count(&r.Expected, reason, n)
	}
	for reason, n := range from.Unexpected {
		Count(&r.Unexpected, reason, n)
	}
	r.times.Merge(from.times)
}

// finish sets what follows from the records: the share of all transactions, the times, and the encoded histogram.
func (r *Row) finish(all int64) {
	r.Share, r.Latency = ratio(float64(r.Count), float64(all)), r.latency()
	data, _ := r.times.Encode(hdrhistogram.V2CompressedEncodingCookieBase) // it fails only for another version
	r.Histogram, r.times = string(data), nil
}

// reopen decodes the histogram of a finished row, so that it can be merged into another row.
func (r *Row) reopen() error {
	times, err := hdrhistogram.Decode([]byte(r.Histogram))
	if err != nil {
		return fmt.Errorf("the histogram of %s cannot be read: %w", r.Name, err)
	}
	if n := times.TotalCount(); n != r.Count+r.Late {
		return fmt.Errorf("the histogram of %s counts %d transactions, its row %d", r.Name, n, r.Count+r.Late)
	}
	r.times = times
	return nil
}

func (r *Row) latency() Latency {
	micro := func(nanoseconds int64) float64 { return float64(nanoseconds) / 1e3 }
	p := r.times.ValueAtPercentilesSlice([]float64{50, 90, 95, 99, 99.9})
	mean := r.times.Mean() / 1e3
	return Latency{
		Total: mean * float64(r.times.TotalCount()), Min: micro(r.times.Min()), Max: micro(r.times.Max()), Mean: mean,
		P50: micro(p[0]), P90: micro(p[1]), P95: micro(p[2]), P99: micro(p[3]), P999: micro(p[4]),
	}
}

// between returns the interval between two times, whose records the row has.
func (r *Row) between(from, to time.Duration) Interval {
	return Interval{To: to.Seconds(), Count: r.Count, Errors: r.unexpected(),
		TPS: ratio(float64(r.Count), (to - from).Seconds()), Latency: r.latency()}
}

// Reasons are texts of the target: they are cut to longestReason, and after mostReasons, others are counted together.
const (
	longestReason = 200 // characters
	mostReasons   = 1000
	otherReasons  = "other reasons"
)

// Count adds n to the count of a reason.
func Count(counts *map[string]int64, reason string, n int64) { //nolint:gocritic // it makes the map
	if *counts == nil {
		*counts = make(map[string]int64)
	}
	if characters := []rune(reason); len(characters) > longestReason {
		reason = string(characters[:longestReason])
	}
	if _, known := (*counts)[reason]; !known && len(*counts) >= mostReasons {
		reason = otherReasons
	}
	(*counts)[reason] += n
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
