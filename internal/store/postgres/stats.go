package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

// Stats returns the store's figures. If the server does not answer in time, its own counts are the last fetched ones.
// Page counts are those of all clients, up to a second late.
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

// Space measures the database. The size of a table includes what its rows store out of line, and the maps of its
// pages, but not its indexes. Tables that find documents count as indexes: everything in them comes from documents.
func (s *Store) Space(ctx context.Context) (space store.Space, err error) {
	for _, k := range dataset.Kinds {
		if err := s.Setting(ctx, store.SettingRaw+k.String(), &space.Raw[k]); err != nil {
			return space, err
		}
	}
	// The parts of the statements that measure the database; on a cluster, they add up all nodes.
	database, table, whole := "SELECT pg_database_size(current_database())", "pg_table_size", "pg_total_relation_size"
	if s.distributed {
		database = `SELECT sum(result::bigint)::bigint
			FROM run_command_on_all_nodes('SELECT pg_database_size(current_database())')`
		table, whole = "citus_table_size", "citus_total_relation_size"
	}
	indexes := fmt.Sprintf(`SELECT t.name, %[1]s(c.oid) - CASE WHEN t.finds THEN 0 ELSE %[2]s(c.oid) END
		FROM (VALUES ('accounts', true), ('account_orders', true), ('security_search', true), ('orders', false),
			('customers', false), ('securities', false)) AS t (name, finds)
		JOIN pg_class AS c ON c.oid = to_regclass('brokerage.' || t.name) ORDER BY 1`, whole, table)
	err = pgx.BeginTxFunc(ctx, s.pool, snapshot, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, database).Scan(&space.File); err != nil {
			return err
		}
		space.Rest = space.File
		for _, k := range dataset.Kinds {
			name := "brokerage." + tableNames[k]
			err := tx.QueryRow(ctx, "SELECT (SELECT count(*) FROM "+name+"), "+table+"($1::regclass)", name).
				Scan(&space.Documents[k], &space.Stored[k])
			if err != nil {
				return err
			}
			space.Rest -= space.Stored[k]
		}
		rows, _ := tx.Query(ctx, indexes) // CollectRows returns the error
		if space.Indexes, err = pgx.CollectRows(rows, pgx.RowToStructByPos[store.IndexSpace]); err != nil {
			return err
		}
		for _, index := range space.Indexes {
			space.Rest -= index.Bytes
		}
		return nil
	})
	return space, domainError(ctx, err, false)
}
