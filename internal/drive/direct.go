package drive

import (
	"context"

	"brokerage/internal/probe"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

// Direct is a Target that calls a store in this process. It is the session of all its users.
type Direct struct {
	// Stats returns the statistics that a service would export as metrics; nil if the store has none.
	Stats func() store.Stats

	store  tpox.Store
	runner store.ScriptRunner // of own transactions; nil if the store cannot run them
	name   string
	scheme string
}

// NewDirect returns a target for an open store, which the caller closes. The URL is the one that it was opened with.
func NewDirect(s tpox.Store, url string) (*Direct, error) {
	database, err := store.Find(url)
	if err != nil {
		return nil, err
	}
	runner, _ := s.(store.ScriptRunner)
	return &Direct{store: s, runner: runner, name: store.Published(url), scheme: database.Scheme}, nil
}

func (d *Direct) describe(ctx context.Context) (result.Target, *workload.Population, error) {
	is := d.store.Describe()
	target := result.Target{Kind: result.Direct, Engine: is.Name, URL: d.name, SameHost: true}
	contents, err := d.store.Contents(ctx)
	if err != nil {
		return target, nil, err
	}
	p, err := workload.PopulationOf(contents, is)
	return target, p, err
}

func (d *Direct) permits(ctx context.Context, w *workload.Definition) error {
	err := w.SetUp(ctx, d.runner, d.scheme)
	if err == nil && w.InsertsDocuments() {
		_, err = d.lease(ctx, "order", 1)
	}
	return err
}

func (d *Direct) lease(ctx context.Context, kind string, count int64) (tpox.Range, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	return d.store.Lease(ctx, kind, count)
}

func (d *Direct) account(ctx context.Context, id tpox.ID) ([]byte, error) {
	a, err := d.store.GetAccount(ctx, id)
	return a.Document, err
}

func (d *Direct) reading(context.Context) (reading, error) {
	if d.Stats == nil {
		return reading{}, nil
	}
	stats := d.Stats()
	figures := probe.Figures{
		"brokerage_store_connections_in_use":     float64(stats.InUse),
		"brokerage_store_connection_waits_total": float64(stats.Waits),
		"brokerage_store_commits_total":          float64(stats.Commits),
		"brokerage_store_cache_hits_total":       float64(stats.Hits),
		"brokerage_store_cache_misses_total":     float64(stats.Misses),
		"brokerage_store_page_hits_total":        float64(stats.PageHits),
		"brokerage_store_page_misses_total":      float64(stats.PageMisses),
	}
	if stats.File > 0 { // the embedded store
		figures["brokerage_store_writer_page_hits_total"] = float64(stats.WriterPageHits)
		figures["brokerage_store_writer_page_misses_total"] = float64(stats.WriterPageMisses)
		figures["brokerage_store_page_writes_total"] = float64(stats.PageWrites)
	}
	return reading{store: figures}, nil
}

func (d *Direct) open(context.Context, Consistency) (session, error) { return d, nil }

// do calls the store as the service's handlers do.
func (d *Direct) do(ctx context.Context, c *workload.Call) result.Outcome {
	if c.Own() {
		return c.RunStatements(ctx, d.runner, d.scheme)
	}
	return c.Execute(ctx, d.store)
}

func (d *Direct) ping(ctx context.Context) error { return d.store.Ready(ctx) }

func (d *Direct) close() {}
