package workload

import (
	"context"
	"errors"
	"time"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Direct is a Backend that calls a store in this process.
type Direct struct {
	// Stats returns the statistics that a service would export as metrics; nil if the store has none.
	Stats func() store.Stats

	store  tpox.Store
	runner store.ScriptRunner // of own transactions; nil if the store is none
	name   string
	scheme string
}

// answerWithin is the timeout of a call. It is longer than a service waits for its store, so that the service's own
// timeout is what a load generator sees.
const answerWithin = 30 * time.Second

// NewDirect returns a backend for an open store, which the caller closes. The URL is the one that it was opened with.
func NewDirect(s tpox.Store, url string) (*Direct, error) {
	database, err := store.Find(url)
	if err != nil {
		return nil, err
	}
	runner, _ := s.(store.ScriptRunner)
	return &Direct{store: s, runner: runner, name: store.Published(url), scheme: database.Scheme}, nil
}

func (d *Direct) describe(ctx context.Context) (Target, *population, error) {
	is := d.store.Describe()
	target := Target{Kind: directTarget, Engine: is.Name, URL: d.name, SameHost: true}
	contents, err := d.store.Contents(ctx)
	if err != nil {
		return target, nil, err
	}
	p, err := populationOf(contents, is)
	return target, p, err
}

func (d *Direct) permits(ctx context.Context, w *Definition) error { return d.setUp(ctx, w) }

func (d *Direct) lease(ctx context.Context, kind string, count int64) (tpox.Range, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	return d.store.Lease(ctx, kind, count)
}

func (d *Direct) open(_ context.Context, check checker, _ Consistency) (session, error) {
	return &directSession{checker: check, Direct: d}, nil
}

func (d *Direct) reading(context.Context) (reading, error) {
	if d.Stats == nil {
		return reading{}, nil
	}
	stats := d.Stats()
	r := reading{figures: map[string]float64{ // under the names of the service's metrics
		"brokerage_store_connections_limit":             float64(stats.Connections),
		"brokerage_store_connections_open":              float64(stats.Open),
		"brokerage_store_connections_in_use":            float64(stats.InUse),
		"brokerage_store_connection_waits_total":        float64(stats.Waits),
		"brokerage_store_connection_wait_seconds_total": stats.Waited.Seconds(),
		"brokerage_store_commits_total":                 float64(stats.Commits),
		"brokerage_store_writes_waiting":                float64(stats.Writes),
		"brokerage_store_cache_hits_total":              float64(stats.Hits),
		"brokerage_store_cache_misses_total":            float64(stats.Misses),
		"brokerage_store_page_hits_total":               float64(stats.PageHits),
		"brokerage_store_page_misses_total":             float64(stats.PageMisses),
	}}
	if stats.File > 0 { // the embedded store
		r.figures["brokerage_store_writer_busy_seconds_total"] = stats.Busy.Seconds()
		r.figures["brokerage_store_writer_page_hits_total"] = float64(stats.WriterPageHits)
		r.figures["brokerage_store_writer_page_misses_total"] = float64(stats.WriterPageMisses)
		r.figures["brokerage_store_page_writes_total"] = float64(stats.PageWrites)
	}
	return r, nil
}

// directSession calls the store as the service's handlers do.
type directSession struct {
	checker
	*Direct

	statements []store.ScriptStatement // of an own transaction,
	result     store.ScriptResult      // and what they returned
}

func (s *directSession) close() {}

func (s *directSession) recover(ctx context.Context) error {
	return retry(ctx, func() error { return s.store.Ready(ctx) })
}

// retry calls try until it succeeds, and returns its last error. It waits 2 seconds for a backend that is restarting or
// failing over.
func retry(ctx context.Context, try func() error) error {
	for deadline := time.Now().Add(2 * time.Second); ; {
		err := try()
		if err == nil || ctx.Err() != nil || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (s *directSession) do(ctx context.Context, c *call) outcome {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	if c.transaction.own {
		return s.runOwn(ctx, c)
	}
	answer, err := c.transaction.execute(ctx, s.store, c)
	switch {
	case err != nil:
		return refusalOf(c, err)
	case c.transaction.Answer == "":
		return done
	}
	return s.check(c, answer)
}

// refusalOf returns the outcome that the service's response to an error would have.
func refusalOf(c *call, err error) outcome {
	if refusal, ok := errors.AsType[*tpox.Conflict](err); ok {
		return c.transaction.refused(refusal.Reason)
	}
	c.doc = nil // a store that timed out may still be reading the document
	switch {
	case tpox.Is[*tpox.Stale](err):
		return c.transaction.refused(reasonStale)
	case tpox.Is[*tpox.NotFound](err):
		return outcome{unexpected, reasonNotFound}
	case tpox.Is[*tpox.Invalid](err):
		return outcome{unexpected, "422 invalid"}
	case errors.Is(err, context.DeadlineExceeded):
		return timedOut
	case errors.Is(err, context.Canceled):
		return noAnswer
	case tpox.Is[*tpox.Damaged](err):
		return outcome{unexpected, "500 damaged"}
	default: // *tpox.Unavailable, or a fault of the store
		return outcome{unanswered, "503 unavailable"}
	}
}
