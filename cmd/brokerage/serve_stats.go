package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	domain "brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/httpapi/live"
	"brokerage/internal/store"
	"brokerage/internal/store/bulk"
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
				Retries: map[string]int64{"transient": stats.Retries},
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
		all.Kinds = append(all.Kinds, telemetry.StoreKind(k))
	}
	return all
}

// inside is the same for who watches the service.
func inside(stats func() telemetry.StoreStats) func() live.Store {
	if stats == nil {
		return nil
	}
	return func() live.Store {
		s := stats()
		return live.Store{
			Connections: s.Connections, InUse: s.InUse, Waits: s.Waits, Commits: s.Commits, Writes: s.Writes, Hits: s.Hits, Misses: s.Misses,
		}
	}
}

// newMetrics makes the metrics of a service with a store.
func (c *serveCmd) newMetrics(build telemetry.BuildInfo, inner domain.Store, stats func() telemetry.StoreStats) *telemetry.Metrics {
	metrics := telemetry.New(build)
	if stats != nil {
		metrics.Store(stats)
	}
	metrics.Engine(inner.Describe())
	if scheme, path, _ := store.Parse(c.DB); scheme == store.SQLite {
		folder := filepath.Dir(path)
		if _, _, known := diskSpace(folder); known {
			metrics.Disk(func() (free, size float64) {
				free, size, _ = diskSpace(folder)
				return free, size
			})
		}
	}
	return metrics
}

// How often metrics look at what they cannot ask for at a scrape, because a
// store that is in trouble would hold the scrape up; and how long that may take.
const (
	readyEvery   = 5 * time.Second
	datasetEvery = time.Minute
	lookWithin   = time.Second
	censusWithin = time.Minute
)

// watch keeps metrics up to date with a store, until stop is called.
func watch(ctx context.Context, inner domain.Store, metrics *telemetry.Metrics, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { every(ctx, readyEvery, func(ctx context.Context) { metrics.Ready(inner.Ready(ctx) == nil) }) })
	all.Go(func() { every(ctx, datasetEvery, func(ctx context.Context) { tellDataset(ctx, inner, metrics) }) })
	if embedded, ok := inner.(*sqlite.Store); ok {
		all.Go(func() { count(ctx, embedded, log) })
	}
	return func() {
		cancel()
		all.Wait()
	}
}

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
