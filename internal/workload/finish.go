package workload

import (
	"fmt"
	"time"
)

// finish completes the run with what was measured.
func (d *driver) finish(run *Run, u measuredUsage, workers []*worker) (*Run, error) {
	begin, end := d.begin.Load(), d.end.Load()
	if begin < end {
		run.Measured = time.Duration(end - begin).Seconds()
		run.Warmed = time.Duration(begin).Seconds()
		if d.collector.from < time.Duration(end-begin) {
			d.collector.cut(time.Duration(end-begin), nil)
		}
		run.Usage = usage(u, run.Target, run.Machine.Cores)
	}
	run.Usage.Shared = run.Target.Kind == directTarget
	var err error
	if run.Transactions, run.Kinds, run.Total, err = rows(d.collector.all, d.plan.mix); err != nil {
		return nil, err
	}
	run.Intervals, run.PerSecond = d.collector.intervals, d.collector.perSecond
	if p := d.preparing.result; p.Orders > 0 || p.Customers > 0 || len(p.Unexpected) > 0 {
		run.Prepared = &p
	}
	if a := d.arrivals; a != nil {
		run.Arrivals = &Arrivals{Due: a.counted, Dropped: a.dropped}
		for _, w := range workers {
			run.Arrivals.Started += w.started
			run.Arrivals.Late += w.late
			run.Arrivals.Queued += w.queued
		}
	}
	run.countArrivals()
	run.rates()
	run.Validity = judge(run)
	switch run.Ended {
	case Interrupted:
		return run, ErrInterrupted
	case TargetDied:
		return run, fmt.Errorf("%w: %w", ErrTargetDied, d.died)
	default:
		return run, nil
	}
}

// countArrivals adds to the total the arrivals that never became a transaction.
func (r *Run) countArrivals() {
	if a := r.Arrivals; a != nil {
		r.Total.Dropped = a.Dropped
		r.Total.Waiting += a.Queued
		r.Total.Due += a.Dropped + a.Queued
	}
}

// rates computes throughput from counts and the measured time.
func (r *Run) rates() {
	if r.Measured <= 0 {
		return
	}
	r.TPS = float64(r.Total.Count-unexpectedOf(&r.Total)) / r.Measured
	r.TPM = 60 * r.TPS
	r.Goodput = float64(r.Total.Good) / r.Measured
}
