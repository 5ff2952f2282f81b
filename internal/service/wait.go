package service

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"brokerage/internal/tpox"
)

// The pause between two attempts to open a database doubles from firstPause to maxPause. A random share is subtracted,
// so that instances that wait at the same time do not connect at the same time.
const (
	firstPause = 250 * time.Millisecond
	maxPause   = 5 * time.Second
	// remindInterval is how often an unchanged reason is logged again.
	remindInterval = time.Minute
)

// IsTransient reports whether another attempt to open a database may succeed without a change to this process, such
// as when the server does not run yet or the user does not exist yet. Stores return *tpox.Unavailable then.
func IsTransient(err error) bool {
	return tpox.Is[*tpox.Unavailable](err)
}

// Retry opens a database that cannot be reached yet.
type Retry struct {
	Open func(context.Context) (tpox.Store, error)
	Log  *slog.Logger
	DB   string // its name in the log
}

// Until opens the database after an attempt that failed with err. It logs why attempts fail, an unchanged reason once
// a minute, and gives up when ctx is done or an error is not transient.
func (r *Retry) Until(ctx context.Context, err error) (tpox.Store, error) {
	began := time.Now()
	logged, loggedAt := "", time.Time{}
	for pause := firstPause; IsTransient(err); pause = min(2*pause, maxPause) {
		reason := strings.Join(strings.Fields(err.Error()), " ") // in one line: drivers may write several
		if reason != logged || time.Since(loggedAt) >= remindInterval {
			r.Log.Warn("waiting for the database", "db", r.DB, "error", reason)
			logged, loggedAt = reason, time.Now()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause/2 + rand.N(pause/2)):
		}
		var opened tpox.Store
		if opened, err = r.Open(ctx); err == nil {
			r.Log.Info("the database is available", "db", r.DB, "waited", time.Since(began).Round(time.Millisecond).String())
			return opened, nil
		}
	}
	return nil, err
}

// abandonTimeout is how long Await waits for a step to end by itself once ctx is done.
const abandonTimeout = time.Second

// Await runs a step that may not notice that ctx is done, such as opening a pipe or resolving a name. It returns the
// error of ctx when ctx is done and the step has not ended soon after; then the step is left running, and the process
// should end.
func Await[T any](ctx context.Context, step func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	ended := make(chan result, 1)
	go func() {
		value, err := step(ctx)
		ended <- result{value, err}
	}()
	var late <-chan time.Time
	for done := ctx.Done(); ; {
		select {
		case r := <-ended:
			return r.value, r.err
		case <-done:
			done, late = nil, time.After(abandonTimeout)
		case <-late:
			var none T
			return none, ctx.Err()
		}
	}
}
