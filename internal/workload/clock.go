package workload

import (
	"context"
	"time"
)

// startOf returns when user n begins: in the closed model one after the other during the ramp.
func (d *driver) startOf(n int) time.Duration {
	if d.config.Rate > 0 {
		return 0
	}
	return d.config.Ramp * time.Duration(n) / time.Duration(d.config.Users)
}

// measuredUsage is the usage at the beginning and at the end of the measured time.
type measuredUsage struct {
	before, after usageReading
}

// clock runs the phases: users prepare and warm up, then the run is measured, with reports. It returns when nothing new
// is begun any more, and sets run.Ended.
func (d *driver) clock(ctx context.Context, ticks chan<- time.Duration, run *Run) (u measuredUsage) {
	prepared := make(chan struct{})
	go func() { d.unprepared.Wait(); close(prepared) }()
	if !d.wait(ctx, prepared, run) {
		if d.arrivals != nil {
			close(d.arrivals.due) // so that users end
		}
		return u
	}
	warm := d.config.Ramp - time.Duration(d.now())
	if d.arrivals != nil {
		warm = d.config.Ramp
		d.arrivals.from = d.now()
		begin := d.arrivals.from + int64(warm)
		d.begin.Store(begin)
		d.end.Store(begin + int64(d.config.Duration))
		go d.dispatch()
	}
	if !d.wait(ctx, nil, run, warm) {
		return u
	}
	u.before = d.readUsage(ctx)
	if d.arrivals == nil {
		begin := d.now()
		d.end.Store(begin + int64(d.config.Duration))
		d.begin.Store(begin)
	}
	d.report(ctx, ticks, run)
	u.after = d.readUsage(context.WithoutCancel(ctx))
	return u
}

// report waits for the end of the measured time.
func (d *driver) report(ctx context.Context, ticks chan<- time.Duration, run *Run) {
	begin := d.begin.Load()
	for {
		passed := time.Duration(d.now() - begin)
		left := d.config.Duration - passed
		if left <= 0 {
			return
		}
		next := left
		if every := d.config.Every; every > 0 {
			next = min(left, every-passed%every)
		}
		if !d.wait(ctx, nil, run, next) {
			return
		}
		if at, due := d.config.reportAt(time.Duration(d.now() - begin)); due && next < left {
			ticks <- at
		}
	}
}

// reportAt returns the end of the interval to report when a time has passed. No report is due at the end of the run or
// after it: the last interval ends when users have passed on their last samples.
func (c *Config) reportAt(passed time.Duration) (at time.Duration, due bool) {
	return passed.Truncate(c.Every), c.Every > 0 && passed < c.Duration
}

// wait waits for a channel or a time. If the run ends before, it returns false and sets run.Ended.
func (d *driver) wait(ctx context.Context, reached <-chan struct{}, run *Run, long ...time.Duration) bool {
	var timer <-chan time.Time
	if len(long) > 0 {
		timer = time.After(long[0])
	}
	select {
	case <-reached:
	case <-timer:
	case <-ctx.Done():
		run.Ended = Interrupted
		d.end.Store(min(d.end.Load(), d.now()))
		return false
	case <-d.dead:
		run.Ended = TargetDied
		return false
	}
	// If both are ready, the end of the run takes precedence.
	select {
	case <-d.dead:
		run.Ended = TargetDied
		return false
	default:
		return true
	}
}
