package service

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/httpapi/pages"
	"brokerage/internal/store"
	"brokerage/internal/telemetry"
	"brokerage/internal/tpox"
)

// insight collects the metrics of a service, and those of its store once the store is open.
type insight struct {
	metrics   *telemetry.Metrics
	log       *slog.Logger
	ctx       context.Context //nolint:containedctx // it ends the goroutines that observe the store, and nothing else
	cancel    context.CancelFunc
	observers sync.WaitGroup
	stats     atomic.Pointer[func() store.Stats]
}

func newInsight(ctx context.Context, build telemetry.BuildInfo, log *slog.Logger) *insight {
	i := &insight{metrics: telemetry.New(build), log: log}
	i.ctx, i.cancel = context.WithCancel(ctx)
	return i
}

// observeDisk collects the space of the file system of an embedded database.
func (i *insight) observeDisk(path string) {
	folder := filepath.Dir(path)
	if _, _, known := store.DiskSpace(folder); path != "" && known {
		i.metrics.Disk(func() (free, size float64) {
			free, size, _ = store.DiskSpace(folder)
			return free, size
		})
	}
}

// observe starts to collect the metrics of an open store: statistics at each scrape; readiness, dataset and document
// counts, which take longer, in goroutines until close.
func (i *insight) observe(inner tpox.Store) {
	stats := store.StatsOf(inner)
	if stats != nil {
		i.stats.Store(&stats)
	}
	i.metrics.Store(inner.Describe(), stats)
	i.observers.Go(func() {
		every(i.ctx, readyInterval, func(ctx context.Context) { i.metrics.Ready(inner.Ready(ctx) == nil) })
	})
	settings, hasSettings := inner.(interface {
		Setting(ctx context.Context, name string, value any) error
	})
	i.observers.Go(func() {
		every(i.ctx, datasetInterval, func(ctx context.Context) {
			contents, err := inner.Contents(ctx)
			if err != nil {
				return // the next interval tries again
			}
			raw := make(map[string]int64)
			for _, k := range dataset.Kinds {
				var bytes int64
				if hasSettings && settings.Setting(ctx, store.SettingRaw+k.String(), &bytes) == nil && bytes > 0 {
					raw[k.String()] = bytes
				}
			}
			i.metrics.Dataset(contents, raw)
		})
	})
	embedded, counts := inner.(interface {
		Census(ctx context.Context) error
	})
	if !counts {
		return
	}
	i.observers.Go(func() {
		bounded, cancel := context.WithTimeout(i.ctx, censusTimeout)
		defer cancel()
		if err := embedded.Census(bounded); err != nil && i.ctx.Err() == nil {
			i.log.Warn("counting the documents failed, so their metrics are missing", "error", err)
		}
	})
}

// storeState returns the statistics of the store for the live page; nil for a store that has none, or is not open yet.
func (i *insight) storeState() *pages.StoreState {
	stats := i.stats.Load()
	if stats == nil {
		return nil
	}
	s := (*stats)()
	if s.Hits+s.Misses == 0 { // a store that counts only pages
		s.Hits, s.Misses = s.PageHits, s.PageMisses
	}
	return &pages.StoreState{
		Connections: s.Connections, InUse: s.InUse, Waits: s.Waits, Commits: s.Commits, Writes: s.Writes, Hits: s.Hits,
		Misses: s.Misses,
	}
}

// close ends the goroutines that observe the store, before the store is closed.
func (i *insight) close() error {
	i.cancel()
	i.observers.Wait()
	return nil
}

// Intervals and timeouts of metrics that are not collected at a scrape, because a slow store would delay it.
const (
	readyInterval   = 5 * time.Second
	datasetInterval = time.Minute
	observeTimeout  = time.Second
	censusTimeout   = time.Minute
)

// every calls observe at once, and then at each interval.
func every(ctx context.Context, interval time.Duration, observe func(context.Context)) {
	for ticker := time.Tick(interval); ; {
		bounded, cancel := context.WithTimeout(ctx, observeTimeout)
		observe(bounded)
		cancel()
		select {
		case <-ctx.Done():
			return
		case <-ticker:
		}
	}
}
