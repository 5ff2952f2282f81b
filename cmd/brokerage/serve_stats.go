package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	domain "brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/httpapi/live"
	"brokerage/internal/store"
	"brokerage/internal/store/bulk"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/telemetry"
)

// storeStats is how metrics look into a store; nil for one without an inside.
func storeStats(s domain.Store) func() telemetry.StoreStats {
	switch opened := s.(type) {
	case *postgres.Store:
		return func() telemetry.StoreStats {
			stats := opened.Stats()
			return telemetry.StoreStats{
				Connections: stats.Connections, Open: stats.Open, InUse: stats.InUse, Waits: stats.Waits, Waited: stats.Waited,
				PageHits: stats.Hits, PageMisses: stats.Misses,
				Retries: map[string]int64{"transient": stats.Retries}, Kinds: estimated(stats.Kinds),
			}
		}
	case *db2.Store:
		return func() telemetry.StoreStats {
			stats := opened.Stats()
			return telemetry.StoreStats{
				Connections: stats.Connections, Open: stats.Open, InUse: stats.InUse, Waits: stats.Waits, Waited: stats.Waited,
				PageHits: stats.Hits, PageMisses: stats.Misses,
				Retries: map[string]int64{"transient": stats.Retries}, Kinds: estimated(stats.Kinds),
			}
		}
	case *sqlite.Store:
		return func() telemetry.StoreStats { return embeddedStats(opened.Stats()) }
	default:
		return nil
	}
}

func embeddedStats(stats sqlite.Stats) telemetry.StoreStats {
	all := telemetry.StoreStats{
		Connections: stats.Pool,
		Open:        stats.Pool,
		InUse:       stats.InUse,
		Waits:       stats.Waits,
		Waited:      stats.Waited,
		Commits:     stats.Commits,
		Writes:      stats.Writes,
		Groups:      stats.Groups,
		Flushes:     stats.Flushes,
		Busy:        stats.Busy,
		Hits:        stats.Hits,
		Misses:      stats.Misses,
		PageHits:    stats.PageHits,
		PageMisses:  stats.PageMisses,
		Retries:     map[string]int64{"changed": stats.Redone},
		File:        stats.File,
		Journal:     stats.Journal,
	}
	for _, k := range stats.Kinds {
		all.Kinds = append(all.Kinds, telemetry.StoreKind{
			Kind: k.Kind, Known: k.Known, Documents: k.Documents, Stored: k.Stored, Packed: k.Packed, PackedFrom: k.PackedFrom, PackedTo: k.PackedTo,
		})
	}
	return all
}

// estimated are the documents of a server.
func estimated(all bulk.Estimates) (kinds []telemetry.StoreKind) {
	for _, k := range dataset.Kinds {
		e := all[k]
		kinds = append(kinds, telemetry.StoreKind{Kind: k.String(), Known: e.Known, Documents: e.Documents, Stored: e.Stored, Estimated: true})
	}
	return kinds
}

// insight is what a service measures and shows of its store, from when there is one.
type insight struct {
	metrics *telemetry.Metrics
	log     *slog.Logger
	ctx     context.Context //nolint:containedctx // it ends what goes on beside the service, and nothing else
	cancel  context.CancelFunc
	looking sync.WaitGroup
	stats   atomic.Pointer[func() telemetry.StoreStats]
}

func (c *serveCmd) newInsight(ctx context.Context, build telemetry.BuildInfo, log *slog.Logger) *insight {
	i := &insight{metrics: telemetry.New(build), log: log}
	i.ctx, i.cancel = context.WithCancel(ctx)
	if scheme, path, _ := store.Parse(c.DB); scheme == store.SQLite {
		folder := filepath.Dir(path)
		if _, _, known := diskSpace(folder); known {
			i.metrics.Disk(func() (free, size float64) {
				free, size, _ = diskSpace(folder)
				return free, size
			})
		}
	}
	return i
}

// look begins to look into a store: at each scrape, and beside the service at what
// takes longer.
func (i *insight) look(inner domain.Store) {
	if stats := storeStats(inner); stats != nil {
		i.metrics.Store(stats)
		i.stats.Store(&stats)
	}
	i.metrics.Engine(inner.Describe())
	i.looking.Go(func() {
		every(i.ctx, readyEvery, func(ctx context.Context) { i.metrics.Ready(inner.Ready(ctx) == nil) })
	})
	i.looking.Go(func() { every(i.ctx, datasetEvery, func(ctx context.Context) { tellDataset(ctx, inner, i.metrics) }) })
	if embedded, ok := inner.(*sqlite.Store); ok {
		i.looking.Go(func() { count(i.ctx, embedded, i.log) })
	}
}

// live is the same for who watches the service; nil for a store without an inside,
// or that is not there yet.
func (i *insight) live() *live.Store {
	stats := i.stats.Load()
	if stats == nil {
		return nil
	}
	s := (*stats)()
	if s.Hits+s.Misses == 0 { // a store that counts only pages
		s.Hits, s.Misses = s.PageHits, s.PageMisses
	}
	return &live.Store{
		Connections: s.Connections, InUse: s.InUse, Waits: s.Waits, Commits: s.Commits, Writes: s.Writes, Hits: s.Hits, Misses: s.Misses,
	}
}

// close ends looking; the store is still open.
func (i *insight) close() {
	i.cancel()
	i.looking.Wait()
}

// How often metrics look at what they cannot ask for at a scrape, because a
// store that is in trouble would hold the scrape up; and how long that may take.
const (
	readyEvery   = 5 * time.Second
	datasetEvery = time.Minute
	lookWithin   = time.Second
	censusWithin = time.Minute
)

// every looks at once and then again and again.
func every(ctx context.Context, pause time.Duration, look func(context.Context)) {
	for ticker := time.Tick(pause); ; {
		bounded, cancel := context.WithTimeout(ctx, lookWithin)
		look(bounded)
		cancel()
		select {
		case <-ctx.Done():
			return
		case <-ticker:
		}
	}
}

// tellDataset tells what was loaded. What cannot be had now, the next look may get.
func tellDataset(ctx context.Context, inner domain.Store, metrics *telemetry.Metrics) {
	contents, err := inner.Contents(ctx)
	if err != nil {
		return
	}
	raw := make(map[string]int64)
	ledger, ok := inner.(interface {
		Setting(ctx context.Context, name string, value any) error
	})
	for _, k := range dataset.Kinds {
		var bytes int64
		if ok && ledger.Setting(ctx, bulk.SettingRaw+k.String(), &bytes) == nil && bytes > 0 {
			raw[k.String()] = bytes
		}
	}
	metrics.Dataset(contents, raw)
}

// count counts the documents, beside what else goes on.
func count(ctx context.Context, embedded *sqlite.Store, log *slog.Logger) {
	bounded, cancel := context.WithTimeout(ctx, censusWithin)
	defer cancel()
	if err := embedded.Census(bounded); err != nil && ctx.Err() == nil {
		log.Warn("the documents were not counted: metrics do not say how many there are", "error", err)
	}
}
