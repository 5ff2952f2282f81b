package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"brokerage/internal/store"
)

// Stats returns the store's figures. If the server does not answer at once, its own counts are those of the last call.
// Pages count for all clients of the database, up to a second late.
func (s *Store) Stats() store.Stats {
	stats := store.Stats{Retries: map[string]int64{"transient": s.retries.Load()}}
	pools := []*pgxpool.Pool{s.pool}
	if s.entries != nil {
		pools = append(pools, s.entries.pools...)
	}
	for _, p := range pools { // before the look below takes a connection
		pool := p.Stat()
		stats.Connections += int(pool.MaxConns())
		stats.Open += int(pool.TotalConns())
		stats.InUse += int(pool.AcquiredConns())
		stats.Waits += pool.EmptyAcquireCount()
		stats.Waited += pool.EmptyAcquireWaitTime()
	}
	counted := s.figures.Pages.Look()
	stats.PageHits, stats.PageMisses, stats.Kinds = counted.Hits, counted.Misses, s.figures.Kinds.Look().Stats()
	stats.IDsLeft = s.figures.IDs.Look()
	if s.replicas != nil {
		s.replicas.stats(&stats)
	}
	return stats
}

func (s *Store) countPages(ctx context.Context) (p store.Pages, err error) {
	err = s.pool.QueryRow(ctx, s.sql("count_pages")).Scan(&p.Hits, &p.Misses)
	return p, err
}

// nextID returns the id with which the next lease begins.
func (s *Store) nextID(ctx context.Context, kind string) (next int64, err error) {
	err = s.pool.QueryRow(ctx, "SELECT next FROM brokerage.leases WHERE kind = $1", kind).Scan(&next)
	return next, err
}

func (s *Store) estimate(ctx context.Context) (all store.Estimates, err error) {
	rows, _ := s.pool.Query(ctx, s.sql("estimate_documents")) // ForEachRow returns the error
	var table string
	var documents *int64
	var bytes int64
	_, err = pgx.ForEachRow(rows, []any{&table, &documents, &bytes}, func() error {
		if documents != nil {
			all[slices.Index(tableNames[:], table)] = store.Estimate{Known: true, Documents: *documents, Stored: bytes}
		}
		return nil
	})
	return all, err
}
