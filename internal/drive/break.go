package drive

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"brokerage/internal/ledger"
	"brokerage/internal/result"
)

// Break is a command that breaks the target in the middle of a run: a kill, a failover, a cut network. The zero value
// breaks nothing.
type Break struct {
	Command string                          // for the shell
	Do      func(ctx context.Context) error // instead of a command
	At      time.Duration                   // since measuring began
}

func (b Break) none() bool { return b.Command == "" && b.Do == nil }

func (b Break) check(duration time.Duration) error {
	if !b.none() && (b.At <= 0 || b.At >= duration) {
		return errors.New("the time of the break must be within the measured time")
	}
	return nil
}

// comeBackWithin is how long after its break a target may be without an answer before the run ends.
const comeBackWithin = 2 * time.Minute

// outage is what a run sees of a broken target.
type outage struct {
	begun atomic.Bool // cheaper than the lock, for each call

	sync.Mutex

	// Times of the run's clock; again is 0 until it is known.
	since      int64 // the beginning of the command
	unanswered int64 // when the first call was left without an answer
	again      int64 // when a call was answered that began later
	found      result.Break
}

// breakTarget runs the command of the plan's Break at its time. The returned function waits for the command; one that
// does not end with the run is killed.
func (d *driver) breakTarget(ctx context.Context) (wait func()) {
	b, o := d.plan.Break, &d.broken
	if b.none() {
		return func() {}
	}
	do := b.Do
	if do == nil {
		do = func(ctx context.Context) error { return runShell(ctx, b.Command) }
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-time.After(time.Duration(d.begin.Load() + int64(b.At) - d.now())):
		case <-ctx.Done():
			return
		}
		o.Lock()
		o.since = d.now()
		o.found.At = time.Duration(o.since - d.begin.Load()).Seconds()
		o.Unlock()
		o.begun.Store(true)
		err := do(ctx)
		o.Lock()
		defer o.Unlock()
		if err != nil {
			o.found.Failed = err.Error()
		}
	}()
	return func() { cancel(); <-done }
}

// runShell runs a command. If it does not end before the context, it is killed with all that it has started.
func runShell(ctx context.Context, text string) error {
	command := Shell(text)
	inOwnGroup(command)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr // files, so that what it starts does not hold it up
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		killAll(command)
		if err := <-ended; err != nil {
			return errors.New("it did not end")
		}
		return nil
	}
}

// see takes notice of a call that began at a time and has ended now.
func (d *driver) see(began int64, outcome result.Outcome) {
	o := &d.broken
	if !o.begun.Load() {
		return
	}
	now := d.now()
	o.Lock()
	defer o.Unlock()
	if fateOf(outcome) != ledger.Unknown {
		o.found.Longest = max(o.found.Longest, time.Duration(now-began).Seconds())
	}
	switch {
	case outcome.Class != result.Abandoned && outcome.Failed() && fateOf(outcome) == ledger.Unknown:
		if !o.found.Unanswered {
			o.found.Unanswered, o.unanswered = true, now
		}
	case outcome.Class == result.Good && o.found.Unanswered && o.again == 0 && began >= o.unanswered:
		o.again = now
	}
}

// mayComeBack reports whether a target that does not answer is one that was broken a short time ago.
func (o *outage) mayComeBack(now int64) bool {
	if !o.begun.Load() {
		return false
	}
	o.Lock()
	defer o.Unlock()
	return time.Duration(now-o.since) < comeBackWithin
}

// result returns what was seen, nil if nothing was broken.
func (o *outage) result() *result.Break {
	if !o.begun.Load() {
		return nil
	}
	o.Lock()
	defer o.Unlock()
	if o.again != 0 {
		o.found.Again = time.Duration(o.again - o.since).Seconds()
	}
	return &o.found
}
