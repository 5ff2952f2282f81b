package drive

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"brokerage/internal/ledger"
	"brokerage/internal/result"
)

// Break breaks the target in the middle of a run: by a kill, a failover, a cut network. The zero value breaks nothing.
type Break struct {
	Do func(ctx context.Context) error
	At time.Duration // since measuring began
}

// Command returns a function for Break.Do that runs a command in a shell. If it does not end before the context, it is
// killed with all processes that it has started.
func Command(text string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		command := Shell(text)
		inOwnGroup(command)
		command.Stdout, command.Stderr = os.Stderr, os.Stderr // files, so that Wait does not wait for background processes
		if err := command.Start(); err != nil {
			return err
		}
		defer context.AfterFunc(ctx, func() { killAll(command) })()
		err := command.Wait()
		if err != nil && ctx.Err() != nil {
			return errors.New("it did not end before the run did")
		}
		return err
	}
}

// breakTarget breaks the target at the time of the plan's Break, in the background. end cancels a Break that still
// runs, and returns when it has ended.
func (c *Crew) breakTarget(ctx context.Context) (end func()) {
	b := c.plan.Break
	if b.Do == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var breaking sync.WaitGroup
	breaking.Go(func() {
		if !c.sleepUntil(c.begin + int64(b.At)) {
			return
		}
		at := c.now()
		c.brokenAt.Store(at)
		err := b.Do(ctx)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.broken.At = time.Duration(at - c.begin).Seconds()
		if err != nil {
			c.broken.Failed = err.Error()
		}
	})
	return func() { cancel(); breaking.Wait() }
}

// see updates the figures of a Break after a call that has just ended. began is the time at which the call began.
func (c *Crew) see(began int64, outcome result.Outcome) {
	broken := c.brokenAt.Load()
	if broken == 0 {
		return
	}
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch b := &c.broken; {
	case fateOf(outcome) != ledger.Unknown:
		b.Longest = max(b.Longest, time.Duration(now-began).Seconds())
		if outcome.Class == result.Good && b.Unanswered && b.Again == 0 && began >= c.unanswered {
			b.Again = time.Duration(now - broken).Seconds()
		}
	case outcome.Failed() && !b.Unanswered:
		b.Unanswered, c.unanswered = true, now
	}
}

// mayComeBack reports whether the target was broken less than two minutes ago.
func (c *Crew) mayComeBack(now int64) bool {
	broken := c.brokenAt.Load()
	return broken != 0 && time.Duration(now-broken) < 2*time.Minute
}
