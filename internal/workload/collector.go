package workload

import (
	"sync"
	"time"
)

// sample is one transaction that has ended.
type sample struct {
	at, took    int64 // nanoseconds; at is its end, since measuring began
	transaction int
	outcome     outcome
	waiting     bool // it had not ended when the measured time was over
}

// batch is how samples travel. A user hands one over when it is full, or has
// been open for a while so that reports are not late.
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

// collector adds up what users measure, in one goroutine. Everything but the
// channel is that goroutine's until it has ended.
type collector struct {
	full      chan *batch
	ended     chan struct{}
	all       []*tally // by transaction; nil where the mix has none
	part      []*tally // the same since the last report
	perSecond []int64
	intervals []Interval
	from      time.Duration
	shares    []float64
	recent    *tally // since the last look; nil if nobody looks
	errors    int64  // since measuring began; counted if somebody looks
}

// lookEvery is how often a run is looked at while it goes.
const lookEvery = time.Second

func newCollector(shares []float64) *collector {
	c := &collector{full: make(chan *batch, batchQueue), ended: make(chan struct{}), shares: shares, all: make([]*tally, len(shares)), part: make([]*tally, len(shares))}
	for t, share := range shares {
		if share > 0 {
			c.all[t], c.part[t] = newTally(), newTally()
		}
	}
	return c
}

// collect works until the channel is closed. Tick is told the time measured so
// far whenever a report is due.
// Look, which may be nil, is told of each second.
func (c *collector) collect(ticks <-chan time.Duration, report func(Interval), look func(*tally, time.Duration, int64)) {
	defer close(c.ended)
	var looks <-chan time.Time
	last := time.Now()
	if look != nil {
		c.recent = newTally()
		ticker := time.NewTicker(lookEvery)
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
			c.cut(now, report)
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
		c.all[s.transaction].add(s)
		c.part[s.transaction].add(s)
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
func (c *collector) cut(now time.Duration, report func(Interval)) {
	total := newTally()
	for _, t := range c.part {
		if t != nil {
			total.merge(t)
		}
	}
	i := Interval{From: c.from.Seconds(), To: now.Seconds(), Count: total.count, Good: total.good, Latency: total.latency()}
	if span := (now - c.from).Seconds(); span > 0 {
		i.TPS = float64(total.count) / span
	}
	for t, part := range c.part {
		if part != nil {
			i.Rows = append(i.Rows, part.row(registry[t].Name, registry[t].Kind.String(), c.shares[t], total.count))
			part.reset()
		}
	}
	c.from = now
	c.intervals = append(c.intervals, i)
	if report != nil {
		report(i)
	}
}

// tabulate makes the lines of the table, and the total, with histograms.
func tabulate(all []*tally, shares []float64) (transactions, kindRows []Row, total Row, err error) {
	sum, byKind, weights := newTally(), make([]*tally, len(kinds)), make([]float64, len(kinds))
	for t, tallied := range all {
		if tallied == nil {
			continue
		}
		sum.merge(tallied)
		k := registry[t].Kind
		if byKind[k] == nil {
			byKind[k] = newTally()
		}
		byKind[k].merge(tallied)
		weights[k] += shares[t]
	}
	line := func(t *tally, name, kind string, weight float64) (r Row) {
		r = t.row(name, kind, weight, sum.count)
		if err == nil {
			r.Histogram, err = EncodeHistogram(t.distribution)
		}
		return r
	}
	for t, tallied := range all {
		if tallied != nil {
			transactions = append(transactions, line(tallied, registry[t].Name, registry[t].Kind.String(), shares[t]))
		}
	}
	for _, k := range kinds {
		if byKind[k] != nil {
			kindRows = append(kindRows, line(byKind[k], k.String(), k.String(), weights[k]))
		}
	}
	return transactions, kindRows, line(sum, "total", "", 1), err
}
