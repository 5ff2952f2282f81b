package workload

import (
	"context"
	"fmt"
	"io"
	"time"
)

// CompareTier runs a workload on a store and through a service over the same store, alternating, so that changes over
// time affect both. Each turn is a run with its own ramp; all turns together take c.Duration.
func CompareTier(ctx context.Context, direct, service Backend, c Config, turns int) (*Tier, error) {
	if turns < 1 {
		return nil, fmt.Errorf("the number of turns is %d, but must be at least 1", turns)
	}
	c.Duration = max(c.Duration/time.Duration(2*turns), 1)
	c.shared = true
	backends := [...]Backend{direct, service}
	var runs [len(backends)][]*Run
	var ended error
	for turn := 0; turn < 2*turns && ended == nil; turn++ {
		way := (turn + turn/2) % 2 // direct, service, service, direct, …: a drift affects both alike
		// The same transactions both ways, and others in each pair of turns.
		config := c
		config.Seed = c.Seed + uint64(turn/2)
		run, err := Drive(ctx, backends[way], config)
		if run == nil {
			return nil, err
		}
		runs[way], ended = append(runs[way], run), err
	}
	if len(runs[1]) == 0 {
		return nil, ended
	}
	storeRun, err := inTurn(runs[0])
	if err != nil {
		return nil, err
	}
	serviceRun, err := inTurn(runs[1])
	if err != nil {
		return nil, err
	}
	t := &Tier{Format: TierFormat, Slices: turns, Direct: *storeRun, HTTP: *serviceRun}
	t.compare()
	return t, ended
}

func (t *Tier) compare() {
	for i := range t.Direct.Transactions { // which are the same over HTTP
		if d, h := &t.Direct.Transactions[i], &t.HTTP.Transactions[i]; d.Count > 0 && h.Count > 0 {
			t.Transactions = append(t.Transactions, tierRow(d, h))
		}
	}
	r := tierRow(&t.Direct.Total, &t.HTTP.Total)
	r.DirectTPS, r.HTTPTPS, r.Throughput = t.Direct.TPS, t.HTTP.TPS, ratio(t.HTTP.TPS, t.Direct.TPS)
	r.DirectCPU, r.HTTPCPU = t.Direct.cpuEach(), t.HTTP.cpuEach()
	r.CPU = ratio(r.HTTPCPU, r.DirectCPU)
	t.Total = r
}

// cpuEach returns the processor time of a transaction in microseconds.
func (r *Run) cpuEach() float64 {
	return ratio(r.Usage.Generator.CPUSeconds*1e6, float64(r.Total.Count))
}

func tierRow(d, h *Row) TierRow {
	return TierRow{
		Name:       d.Name,
		DirectMean: d.Latency.Mean, HTTPMean: h.Latency.Mean, Mean: ratio(h.Latency.Mean, d.Latency.Mean),
		DirectP99: d.Latency.P99, HTTPP99: h.Latency.P99, P99: ratio(h.Latency.P99, d.Latency.P99),
	}
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// Write writes the comparison as text.
func (t *Tier) Write(w io.Writer) error {
	p := &printer{}
	d, h, total := &t.Direct, &t.HTTP, t.Total
	p.linef("What the application tier costs: workload %s on %s, %d turns each way",
		d.Workload.Name, d.Target.URL, t.Slices)
	p.linef("%d users; %.1f s measured directly, %.1f s over HTTP on this computer", d.Model.Users, d.Measured, h.Measured)
	p.linef("Dataset %s\n", d.Dataset.Fingerprint)
	const form = "%-21s %9s %9s %6s  %9s %9s %6s"
	p.linef(form, "mean, p99 in ms", "direct", "HTTP", "ratio", "direct", "HTTP", "ratio")
	p.linef(form, "transaction", "mean", "mean", "", "p99", "p99", "")
	p.rule()
	for i, r := range append(t.Transactions, total) {
		if i == len(t.Transactions) {
			p.rule()
		}
		p.linef(form, r.Name, Milli(r.DirectMean), Milli(r.HTTPMean), fmt.Sprintf("%.2f", r.Mean),
			Milli(r.DirectP99), Milli(r.HTTPP99), fmt.Sprintf("%.2f", r.P99))
	}
	p.linef("\nThroughput:     %s/s direct, %s/s over HTTP: %.2f times",
		rate(total.DirectTPS), rate(total.HTTPTPS), total.Throughput)
	p.linef("Processor time: %.0f µs a transaction direct, %.0f µs over HTTP: %.2f times, %.0f µs more",
		total.DirectCPU, total.HTTPCPU, total.CPU, total.HTTPCPU-total.DirectCPU)
	p.linef("Users, store and service are one process: the time over HTTP includes both ends of the connection.")
	for _, way := range []*Run{d, h} {
		p.linef("\n%s:", way.Target.Kind)
		p.refusals(way)
		p.validity(way.Validity)
	}
	return p.flush(w)
}
