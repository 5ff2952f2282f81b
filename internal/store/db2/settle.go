package db2

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"time"
)

// The sizes of buffer pools are read at intervals of settleEvery. They are steady when none has changed by more than
// settleWithin over settleFor, which is longer than one round of self-tuning memory under a changing load.
const (
	settleEvery  = 30 * time.Second
	settleFor    = 3 * time.Minute
	settleWithin = 0.05
)

// Settle waits until the sizes of the buffer pools are steady, at most as long as the setting settle says, and returns
// how that ended; without the setting it returns "" at once. The caller keeps the server under load.
func (w *Observer) Settle(ctx context.Context) string {
	most := w.store.settings.Tuning.Settle
	if most == 0 {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	began := time.Now()
	tick := time.NewTicker(settleEvery)
	defer tick.Stop()
	var since time.Time // when the pools had the sizes of before
	var before map[string]int64
	for {
		sizes, err := w.poolSizes(ctx)
		switch {
		case ctx.Err() != nil:
			return "not after " + time.Since(began).Round(time.Second).String()
		case err != nil:
			return fmt.Sprintf("unknown, the sizes of buffer pools cannot be read: %v", err)
		case !near(before, sizes):
			since, before = time.Now(), sizes
		case time.Since(since) >= settleFor:
			return "after " + time.Since(began).Round(time.Second).String()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// poolSizes returns the sizes of the buffer pools in pages, by name.
func (w *Observer) poolSizes(ctx context.Context) (map[string]int64, error) {
	sizes := make(map[string]int64)
	err := eachRow(ctx, w.store.db, statements["pool_sizes"], nil, func(rows *sql.Rows) error {
		var name string
		var pages int64
		err := rows.Scan(&name, &pages)
		sizes[name] = pages
		return err
	})
	return sizes, err
}

// near reports whether the pools are the same and their sizes about the same.
func near(before, now map[string]int64) bool {
	return maps.EqualFunc(before, now, func(a, b int64) bool {
		return max(a, b)-min(a, b) <= int64(settleWithin*float64(a))
	})
}
