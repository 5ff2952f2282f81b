package compare

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"brokerage/internal/probe"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

// Slice is what one side did in one slice.
type Slice struct {
	Side    int       `json:"side"` // 0 is A
	At      float64   `json:"at"`   // seconds since the comparison began
	Values  []float64 `json:"-"`    // of the figures; NaN for one that is unknown
	Others  float64   `json:"others"`
	Spoilt  string    `json:"-"` // why the slice does not count
	failed  map[string]int
	counted int
}

// A figure is something that is compared.
type figure struct {
	name, unit  string
	decides     bool
	more        bool // is better
	transaction bool // the mean time of one transaction
}

// The indexes of the figures that are not of single transactions.
const (
	throughput = iota
	median
	tail
	serviceTime
	databaseTime
	diskIOs
	firstTransaction
)

func figuresOf(open bool, mix []workload.Mixed) []figure {
	figures := []figure{
		throughput:   {name: "throughput", unit: "/s", decides: !open, more: true},
		median:       {name: "p50", unit: "ms", decides: open},
		tail:         {name: "p99", unit: "ms", decides: open},
		serviceTime:  {name: "processor time of the service", unit: "µs a transaction"},
		databaseTime: {name: "processor time of the database", unit: "µs a transaction"},
		diskIOs:      {name: "I/Os of the disks", unit: "a transaction"},
	}
	for _, t := range mix {
		figures = append(figures, figure{name: t.Name, unit: "ms, mean", transaction: true})
	}
	return figures
}

// logRatio returns the mean log ratio of B to A in a block; false if a slice lacks the figure.
func logRatio(block []Slice, figure int) (sum float64, ok bool) {
	for _, s := range block {
		v := math.Log(s.Values[figure])
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, false
		}
		if s.Side == 0 {
			v = -v
		}
		sum += v / 2
	}
	return sum, true
}

// slice runs the users of one side, and reads before and after what everything has used: at rest, so that reading takes
// nothing from the slice, and the processor time belongs to the transactions. A side that does not answer is an error.
func (c *comparison) slice(ctx context.Context, at int, length time.Duration) (Slice, error) {
	s := Slice{Side: at, At: c.passed().Seconds()}
	bounded, cancel := context.WithTimeout(ctx, c.Discard+length+c.Answers)
	defer cancel()
	before := c.read(bounded)
	sliced, err := c.sides[at].crew.Slice(bounded, c.seed, c.Rate, c.Discard+length)
	switch {
	case bounded.Err() != nil && ctx.Err() == nil:
		return s, fmt.Errorf("%c, %s: it did not answer all requests of a slice within %s after its end", 'A'+at,
			c.sides[at].name, c.Answers)
	case err != nil:
		return s, err
	}
	after := c.read(bounded)
	records := sliced.Records
	s.count(records, c.Discard, length, len(c.figures))
	s.resources(before, after, at, c.sides[at].direct, float64(len(records)))
	c.tally(at, records)
	s.Others = c.othersBetween(before, after)
	if s.Spoilt = sliced.Disturbed(s.Others, c.Others); s.Spoilt == "" {
		c.carried[at].own.add(before, after, at)
		c.carried[1-at].idle.add(before, after, 1-at)
	}
	return s, nil
}

// count computes the figures of the records of the counted time.
func (s *Slice) count(records []result.Record, discard, length time.Duration, figures int) {
	s.Values = make([]float64, figures)
	for i := range s.Values {
		s.Values[i] = math.NaN()
	}
	took := make([]float64, 0, len(records))
	sums, counts := make([]float64, figures), make([]float64, figures)
	for _, r := range records {
		if r.Waiting || r.At < discard {
			continue
		}
		took = append(took, r.Took.Seconds()*1e3)
		i := firstTransaction + r.Transaction
		sums[i] += r.Took.Seconds() * 1e3
		counts[i]++
		if r.Outcome.Failed() {
			if s.failed == nil {
				s.failed = make(map[string]int)
			}
			s.failed[r.Outcome.Reason]++
		}
	}
	s.counted = len(took)
	s.Values[throughput] = float64(len(took)) / length.Seconds()
	if len(took) > 0 {
		slices.Sort(took)
		s.Values[median] = took[len(took)/2]
		s.Values[tail] = took[len(took)*99/100]
	}
	for i := firstTransaction; i < figures; i++ {
		if counts[i] > 0 {
			s.Values[i] = sums[i] / counts[i]
		}
	}
}

// resources computes what a transaction of the slice has used.
func (s *Slice) resources(before, after reading, at int, direct bool, transactions float64) {
	service := after.sides[at].service - before.sides[at].service
	if direct {
		service = after.self - before.self // the store and the load generator are one process
	}
	s.Values[serviceTime] = 1e6 * service / transactions
	s.Values[databaseTime] = 1e6 * (after.sides[at].database - before.sides[at].database) / transactions
	s.Values[diskIOs] = (after.ios - before.ios) / transactions
}

// used is what a side has used so far; NaN is unknown.
type used struct {
	service, database float64 // processor seconds
	// Processor seconds, and bytes written, of the processes that only this side uses.
	apart, written float64
}

// reading is what everything has used at one moment; NaN is unknown.
type reading struct {
	at    time.Time
	self  float64       // processor seconds of this process
	host  probe.Figures // of the computer
	ios   float64       // of its disks
	sides [2]used
}

// read returns what this process, the computer and both sides have used up to now.
func (c *comparison) read(ctx context.Context) reading {
	host := probe.Here.Host().Figures
	r := reading{
		self: processorOf(probe.Here.Process(os.Getpid()).Figures), host: host,
		ios: figureOf(host, probe.Reads) + figureOf(host, probe.Writes),
	}
	for i, s := range c.sides {
		other := c.sides[1-i]
		u := used{service: math.NaN(), database: math.NaN()}
		add := func(process, ofOther int) float64 {
			f := probe.Here.Family(process).Figures
			if process != ofOther {
				u.apart += processorOf(f)
				u.written += figureOf(f, probe.WriteBytes)
			}
			return processorOf(f)
		}
		if s.service != 0 {
			u.service = add(s.service, other.service)
		} else if seconds, ok := s.crew.CPUSeconds(ctx); ok && !s.direct {
			u.service = seconds
			if s.about.Target.URL != other.about.Target.URL {
				u.apart += seconds
			}
		}
		if s.database != 0 {
			u.database = add(s.database, other.database)
		}
		r.sides[i] = u
	}
	r.at = time.Now()
	return r
}

func figureOf(figures probe.Figures, name string) float64 {
	if v, ok := figures[name]; ok {
		return v
	}
	return math.NaN()
}

func processorOf(figures probe.Figures) float64 {
	return figureOf(figures, probe.UserSeconds) + figureOf(figures, probe.SystemSeconds)
}

// othersBetween returns the share of the machine that neither the load generator nor the sides have used; 0 if that is
// unknown.
func (c *comparison) othersBetween(before, after reading) float64 {
	ours, seen := after.self-before.self, make(map[int]bool)
	for i, s := range c.sides {
		for _, one := range []struct {
			process      int
			used, before float64
		}{
			{s.service, after.sides[i].service, before.sides[i].service},
			{s.database, after.sides[i].database, before.sides[i].database},
		} {
			if spent := one.used - one.before; !math.IsNaN(spent) && !seen[one.process] {
				ours += spent
				seen[one.process] = one.process != 0
			}
		}
	}
	host := make(probe.Figures)
	for figure, n := range after.host {
		host[figure] = n - before.host[figure]
	}
	others, _ := host.Others(ours)
	return others
}

// carried adds up what a side used in its own slices, and in those of the other.
type carried struct{ own, idle spent }

// spent is what a side used in some time: processor seconds and bytes written.
type spent struct{ seconds, processor, written float64 }

func (s *spent) add(before, after reading, side int) {
	s.seconds += after.at.Sub(before.at).Seconds()
	s.processor += after.sides[side].apart - before.sides[side].apart
	s.written += after.sides[side].written - before.sides[side].written
}

// most returns the greater share of processor time and of bytes written that a side used while it was idle, of what it
// used in its own slices.
func (c *carried) most() (share float64, of string) {
	ratio := func(idle, own float64) float64 {
		if r := idle / c.idle.seconds / (own / c.own.seconds); own > 0 && !math.IsNaN(r) {
			return r
		}
		return 0
	}
	if c.own.seconds == 0 || c.idle.seconds == 0 {
		return 0, ""
	}
	share, of = ratio(c.idle.processor, c.own.processor), "processor time"
	if io := ratio(c.idle.written, c.own.written); io > share {
		share, of = io, "writing to disk"
	}
	return share, of
}

// tally counts the documents of a side.
func (c *comparison) tally(at int, records []result.Record) {
	mix := c.sides[at].crew.Mix()
	for _, r := range records {
		switch {
		case r.Outcome.Class != result.Good:
		case mix[r.Transaction].Kind == tpox.Insert:
			c.grown[at]++
		case mix[r.Transaction].Kind == tpox.Delete:
			c.grown[at]--
		}
	}
}
