package workload

import (
	"context"
	"fmt"
	"io"
	"time"
)

// CompareTier runs a workload on a store and through a service over the same store, alternating, so that changes over
// time affect both. Each slice is a run with its own ramp; all slices together take c.Duration.
func CompareTier(ctx context.Context, direct, service Backend, c Config, slices int) (*Tier, error) {
	if slices < 1 {
		return nil, fmt.Errorf("the number of slices is %d, but must be at least 1", slices)
	}
	c.Duration = max(c.Duration/time.Duration(2*slices), 1)
	c.shared = true
	var runs [2][]*Run
	var ended error
	for turn := 0; turn < 2*slices && ended == nil; turn++ {
		way := (turn + turn/2) % 2 // direct, service, service, direct, …: a drift affects both alike
		backend := []Backend{direct, service}[way]
		// The same transactions both ways, and others in each pair of slices.
		config := c
		config.Seed = c.Seed + uint64(turn/2)
		run, err := Drive(ctx, backend, config)
		if run == nil {
			return nil, err
		}
		runs[way] = append(runs[way], run)
		ended = err
	}
	if len(runs[0]) == 0 || len(runs[1]) == 0 {
		return nil, ended
	}
	t := &Tier{Format: TierFormat, Slices: slices}
	for way, into := range []*Run{&t.Direct, &t.HTTP} {
		merged, err := Merge(runs[way])
		if err != nil {
			return nil, err
		}
		merged.Seed = c.Seed
		*into = *merged
	}
	// Both ways run in this process, so the service's own figures contain everything.
	t.HTTP.Usage.Shared, t.HTTP.Usage.Service = true, nil
	t.HTTP.Validity = judge(&t.HTTP)
	t.compare()
	return t, ended
}

func (t *Tier) compare() {
	for i := range t.Direct.Transactions {
		d := &t.Direct.Transactions[i]
		for j := range t.HTTP.Transactions {
			if h := &t.HTTP.Transactions[j]; h.Name == d.Name && d.Count > 0 && h.Count > 0 {
				t.Transactions = append(t.Transactions, tierRow(d, h))
			}
		}
	}
	t.Total = tierRow(&t.Direct.Total, &t.HTTP.Total)
	t.Total.DirectTPS, t.Total.HTTPTPS = t.Direct.TPS, t.HTTP.TPS
	t.Total.DirectCPU, t.Total.HTTPCPU = t.Direct.cpuEach(), t.HTTP.cpuEach()
	t.Total.Throughput = ratio(t.Total.HTTPTPS, t.Total.DirectTPS)
	t.Total.CPU = ratio(t.Total.HTTPCPU, t.Total.DirectCPU)
}

// cpuEach returns the processor time of a transaction in microseconds.
func (r *Run) cpuEach() float64 {
	if r.Total.Count == 0 {
		return 0
	}
	return r.Usage.Generator.CPUSeconds * 1e6 / float64(r.Total.Count)
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
	p := &printer{out: w}
	p.linef("What the application tier costs: workload %s on %s, %d slices each way",
		t.Direct.Workload.Name, t.Direct.Target.URL, t.Slices)
	p.linef("%d users; %.1f s measured directly, %.1f s over HTTP on this computer",
		t.Direct.Model.Users, t.Direct.Measured, t.HTTP.Measured)
	p.linef("Dataset %s", t.Direct.Dataset.Fingerprint)
	p.line("")
	form := "%-21s %9s %9s %6s  %9s %9s %6s"
	p.linef(form, "mean, p99 in ms", "direct", "HTTP", "ratio", "direct", "HTTP", "ratio")
	p.linef(form, "transaction", "mean", "mean", "", "p99", "p99", "")
	p.rule()
	for i, r := range append(t.Transactions, t.Total) {
		if i == len(t.Transactions) {
			p.rule()
		}
		p.linef(form, r.Name, Milli(r.DirectMean), Milli(r.HTTPMean), fmt.Sprintf("%.2f", r.Mean),
			Milli(r.DirectP99), Milli(r.HTTPP99), fmt.Sprintf("%.2f", r.P99))
	}
	p.line("")
	p.linef("Throughput:     %s/s direct, %s/s over HTTP: %.2f times",
		rate(t.Total.DirectTPS), rate(t.Total.HTTPTPS), t.Total.Throughput)
	p.linef("Processor time: %.0f µs a transaction direct, %.0f µs over HTTP: %.2f times, %.0f µs more",
		t.Total.DirectCPU, t.Total.HTTPCPU, t.Total.CPU, t.Total.HTTPCPU-t.Total.DirectCPU)
	p.line("Users, store and service are one process: the time over HTTP includes both ends of the connection.")
	for _, way := range []*Run{&t.Direct, &t.HTTP} {
		p.line("")
		p.linef("%s:", way.Target.Kind)
		way.refusals(p)
		way.Validity.write(p)
	}
	return p.err
}
