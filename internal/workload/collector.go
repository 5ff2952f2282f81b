package workload

import (
	"errors"
	"sync"
	"time"

	"brokerage/internal/tpox"
)

// sample is one transaction that has ended.
type sample struct {
	at, took int64 // nanoseconds; at is its end, since measuring began
	part     int   // of the mix
	outcome  outcome
	waiting  bool // it had not ended at the end of the measured time
}

// batch is a number of samples. A user passes it on when it is full, or when it has been open for batchOpen, so that
// reports are not late.
type batch struct {
	samples []sample
	opened  int64
}

const (
	batchSize  = 256
	batchOpen  = int64(250 * time.Millisecond)
	batchQueue = 64
)

var batches = sync.Pool{New: func() any { return &batch{samples: make([]sample, 0, batchSize)} }}

func newBatch(now int64) *batch {
	b, _ := batches.Get().(*batch)
	b.samples, b.opened = b.samples[:0], now
	return b
}

// collector adds up samples in one goroutine, which owns everything but the channels until it has ended.
type collector struct {
	full      chan *batch
	ended     chan struct{}
	mix       []part
	all       []*aggregate // by part of the mix, up to the last report
	interval  []*aggregate // the same since then
	perSecond []int64
	intervals []Interval
	from      time.Duration // when the interval began
	recent    *aggregate    // since the last look; nil without a look function
	errors    int64         // since measuring began; counted with a look function only
	mergeable bool          // rows of intervals have histograms
}

func newCollector(mix []part) *collector {
	c := &collector{full: make(chan *batch, batchQueue), ended: make(chan struct{}), mix: mix}
	for range mix {
		c.all, c.interval = append(c.all, newAggregate()), append(c.interval, newAggregate())
	}
	return c
}

// lookFunc receives what was counted since the last look, the time since then, and the errors of the whole run.
type lookFunc func(recent *aggregate, span time.Duration, errors int64)

// collect runs until the channel of batches is closed. Ticks are the times, since measuring began, at which an interval
// ends. The look function is called each second; it may be nil.
func (c *collector) collect(ticks <-chan time.Duration, report func(Interval), look lookFunc) {
	defer close(c.ended)
	var looks <-chan time.Time
	last := time.Now()
	if look != nil {
		c.recent = newAggregate()
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		looks = ticker.C
	}
	for {
		select {
		case b, ok := <-c.full:
			if !ok {
				return
			}
			c.add(b)
		case now := <-ticks:
			if i := c.cut(now); report != nil {
				report(i)
			}
		case now := <-looks:
			look(c.recent, now.Sub(last), c.errors)
			c.recent.reset()
			last = now
		}
	}
}

func (c *collector) add(b *batch) {
	for i := range b.samples {
		s := &b.samples[i]
		c.interval[s.part].add(s)
		if c.recent != nil && !s.waiting {
			c.recent.add(s)
			if s.outcome.class == unexpected || s.outcome.class == unanswered {
				c.errors++
			}
		}
		if s.outcome.class != emptied && !s.waiting {
			second := int(s.at / int64(time.Second))
			for second >= len(c.perSecond) {
				c.perSecond = append(c.perSecond, 0)
			}
			c.perSecond[second]++
		}
	}
	batches.Put(b)
}

// cut ends an interval.
func (c *collector) cut(now time.Duration) Interval {
	i := intervalOf(c.from.Seconds(), now.Seconds(), c.interval, c.mix)
	for p, t := range c.interval {
		if c.mergeable {
			// The histogram of the whole run, which is larger, fails in the same way, and then there is no result.
			i.Rows[p], _ = t.encoded(i.Rows[p])
		}
		c.all[p].merge(t)
		t.reset()
	}
	c.from = now
	c.intervals = append(c.intervals, i)
	return i
}

// intervalOf returns the result of an interval, between two times in seconds.
func intervalOf(from, to float64, of []*aggregate, mix []part) Interval {
	total := sum(of)
	i := Interval{From: from, To: to, Count: total.count, Good: total.good, Latency: total.latency()}
	i.TPS = ratio(float64(total.count), to-from)
	for p, t := range of {
		i.Rows = append(i.Rows, t.row(mix[p].Name, mix[p].Kind.String(), mix[p].share, total.count))
	}
	return i
}

func sum(of []*aggregate) *aggregate {
	total := newAggregate()
	for _, a := range of {
		total.merge(a)
	}
	return total
}

// fill sets the rows of the table, by transaction and by kind, and their total, with histograms.
func (r *Run) fill(all []*aggregate, mix []part) error {
	var failed error
	total := sum(all)
	row := func(a *aggregate, name, kind string, weight float64) Row {
		encoded, err := a.encoded(a.row(name, kind, weight, total.count))
		failed = errors.Join(failed, err)
		return encoded
	}
	r.Transactions, r.Kinds = nil, nil
	for p, a := range all {
		r.Transactions = append(r.Transactions, row(a, mix[p].Name, mix[p].Kind.String(), mix[p].share))
	}
	for _, kind := range [...]tpox.Kind{tpox.Query, tpox.Update, tpox.Insert, tpox.Delete} {
		var ofKind []*aggregate
		weight := 0.0
		for p, a := range all {
			if mix[p].Kind == kind {
				ofKind = append(ofKind, a)
				weight += mix[p].share
			}
		}
		if len(ofKind) > 0 {
			r.Kinds = append(r.Kinds, row(sum(ofKind), kind.String(), kind.String(), weight))
		}
	}
	r.Total = row(total, "total", "", 1)
	return failed
}
