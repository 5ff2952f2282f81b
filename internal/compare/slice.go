package compare

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"brokerage/internal/probe"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

// slice is what one side did in one slice.
type slice struct {
	side      int       // 0 is A
	at        float64   // seconds since the comparison began
	values    []float64 // of the figures; NaN for one that is unknown
	counted   int       // transactions
	failed    map[string]int
	disturbed string // why the slice does not count
}

// The indexes of the figures. After them come the mean times of the transactions of the mix.
const (
	throughput = iota
	median
	tail
	serviceTime
	databaseTime
	diskIOs
	firstTransaction
)

// figuresOf returns the figures that are compared, without values.
func figuresOf(open bool, mix []workload.Mixed) []Row {
	figures := []Row{
		throughput:   {Name: "throughput", Unit: "a second", Decides: !open, More: true},
		median:       {Name: "p50", Unit: "ms", Decides: open},
		tail:         {Name: "p99", Unit: "ms", Decides: open},
		serviceTime:  {Name: "CPU of the service", Unit: "µs a transaction"},
		databaseTime: {Name: "CPU of the database", Unit: "µs a transaction"},
		diskIOs:      {Name: "I/Os of the disks", Unit: "a transaction"},
	}
	for _, t := range mix {
		figures = append(figures, Row{Name: t.Name, Unit: "ms, mean"})
	}
	return figures
}

// takeSlice runs the users of one side for a slice. Before and after, while nothing runs, it reads what everything
// has used: so reading takes nothing from the slice, and the processor time belongs to its transactions. A side that
// does not answer is an error.
func (c *comparison) takeSlice(ctx context.Context, at int, length time.Duration) (slice, error) {
	s := slice{side: at, at: c.passed().Seconds(), failed: make(map[string]int)}
	crew := c.sides[at].crew
	bounded, cancel := context.WithTimeout(ctx, c.discard+length+c.answers)
	defer cancel()
	before := c.read(bounded)
	sliced, err := crew.Slice(bounded, c.seed, c.Rate, c.discard+length)
	if bounded.Err() != nil && ctx.Err() == nil {
		return s, fmt.Errorf("%c, %s: some requests of a slice had no answer %s after its end", 'A'+at,
			c.sides[at].name, c.answers)
	}
	if err != nil {
		return s, err
	}
	after := c.read(bounded)
	s.count(sliced.Records, c.discard, length, len(c.figures))
	for _, r := range sliced.Records {
		switch kind := crew.Mix()[r.Transaction].Kind; {
		case r.Outcome.Class != result.Good:
		case kind == tpox.Insert:
			c.result.Sides[at].Grown++
		case kind == tpox.Delete:
			c.result.Sides[at].Grown--
		}
	}
	host := make(probe.Figures)
	for figure, n := range after.host {
		host[figure] = n - before.host[figure]
	}
	own, idle, transactions := after.sides[at], after.sides[1-at], float64(len(sliced.Records))
	own.add(before.sides[at], -1)
	idle.add(before.sides[1-at], -1)
	s.values[serviceTime] = 1e6 * own.service / transactions
	s.values[databaseTime] = 1e6 * own.database / transactions
	if _, ok := host[probe.Reads]; ok {
		s.values[diskIOs] = (host[probe.Reads] + host[probe.Writes]) / transactions
	}
	others, ok := host.Others(after.ours - before.ours) // unknown is 0 or NaN, and disturbs nothing
	if !ok || math.IsNaN(others) {
		c.result.note("whether other programs used the machine is unknown")
	}
	if s.disturbed = sliced.Disturbed(others, c.Others); s.disturbed == "" {
		c.own[at].add(own, 1)
		c.idle[1-at].add(idle, 1)
	}
	return s, nil
}

// count computes the figures of the records of the counted time.
func (s *slice) count(records []result.Record, discard, length time.Duration, figures int) {
	s.values = slices.Repeat([]float64{math.NaN()}, figures)
	var took []float64
	sums, counts := make([]float64, figures), make([]float64, figures)
	for _, r := range records {
		if r.Waiting || r.At < discard {
			continue
		}
		ms := r.Took.Seconds() * 1e3
		took = append(took, ms)
		sums[firstTransaction+r.Transaction] += ms
		counts[firstTransaction+r.Transaction]++
		if r.Outcome.Failed() {
			s.failed[r.Outcome.Reason]++
		}
	}
	s.counted = len(took)
	s.values[throughput] = float64(len(took)) / length.Seconds()
	if len(took) > 0 {
		slices.Sort(took)
		s.values[median], s.values[tail] = took[len(took)/2], took[len(took)*99/100]
	}
	for i := firstTransaction; i < figures; i++ {
		if counts[i] > 0 {
			s.values[i] = sums[i] / counts[i]
		}
	}
}

// used is what a side has used; NaN is unknown.
type used struct {
	service, database float64 // processor seconds
	// Processor seconds, and bytes written to disk, of the processes that only this side uses; of a service that was not
	// started here, the processor seconds that it reports.
	processor, written float64
}

func (u *used) add(v used, times float64) {
	u.service += times * v.service
	u.database += times * v.database
	u.processor += times * v.processor
	u.written += times * v.written
}

// reading is what everything has used up to one moment; NaN is unknown.
type reading struct {
	host  probe.Figures // of the computer
	ours  float64       // processor seconds of the load generator and the sides on this computer
	sides [2]used
}

// read returns what this process, the computer and both sides have used up to now.
func (c *comparison) read(ctx context.Context) reading {
	self := processorOf(probe.Here.Process(os.Getpid()))
	r, ours := reading{host: probe.Here.Host().Figures}, map[string]float64{"self": self}
	for i, s := range c.sides {
		u := &r.sides[i]
		family := func(pid int) float64 {
			f := probe.Here.Family(pid)
			seconds := processorOf(f)
			ours[strconv.Itoa(pid)] = seconds
			if pid != c.sides[1-i].server {
				u.processor += seconds
				u.written += writtenBy(f)
			}
			return seconds
		}
		switch {
		case s.database != nil:
			u.service = self // the store and the load generator are one process
		case s.process != nil:
			u.service = family(s.process.PID())
		default:
			if u.service = s.crew.CPUSeconds(ctx); s.about.Target.SameHost {
				ours[s.url] = u.service
			}
			if s.url != c.sides[1-i].url {
				u.processor += u.service
			}
		}
		if u.database = math.NaN(); s.server != 0 {
			u.database = family(s.server)
		}
	}
	for _, seconds := range ours {
		r.ours += seconds
	}
	return r
}

func writtenBy(r probe.Reading) float64 {
	if n, ok := r.Figures[probe.WriteBytes]; ok {
		return n
	}
	return math.NaN()
}

func processorOf(r probe.Reading) float64 {
	if r.Figures == nil {
		return math.NaN()
	}
	return r.Figures[probe.UserSeconds] + r.Figures[probe.SystemSeconds]
}
