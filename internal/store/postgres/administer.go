package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	processes "brokerage/internal/probe"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// An Admin is a connection for the tasks of a campaign that are not transactions: it collects statistics, and reads the
// settings and the counters of a server.
type Admin struct {
	conn    *pgx.Conn
	cluster bool // of several servers
}

// Administer connects with the role of the URL, whose rights decide what the Admin can do.
func Administer(ctx context.Context, url string) (*Admin, error) {
	config, _, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	configure(config, &Options{Pool: 1})
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return nil, connectError{err}
	}
	a := &Admin{conn: conn}
	if err = conn.QueryRow(ctx, "SELECT to_regclass('pg_dist_node') IS NOT NULL").Scan(&a.cluster); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// Close closes the connection.
func (a *Admin) Close() error { return a.conn.Close(context.Background()) }

// Analyze collects statistics for the planner.
func (a *Admin) Analyze(ctx context.Context) error {
	_, err := a.conn.Exec(ctx, "ANALYZE")
	return err
}

// Settings returns those of the named settings that the server has.
func (a *Admin) Settings(ctx context.Context, names []string) ([]tpox.Setting, error) {
	rows, _ := a.conn.Query(ctx, `SELECT name, current_setting(name)
		FROM pg_settings WHERE name = ANY($1) ORDER BY array_position($1, name)`, names)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[tpox.Setting]) // the error of the query, too
}

// The statements return one row each, or none where the server does not show the figures. A column is the figure of its
// name, and is left out where it is NULL.
const (
	databaseFigures = `SELECT numbackends::float8 AS pg_connections,
		xact_commit::float8 AS pg_commits_total, xact_rollback::float8 AS pg_rollbacks_total,
		blks_hit::float8 AS pg_page_hits_total, blks_read::float8 AS pg_page_misses_total,
		temp_bytes::float8 AS pg_temporary_bytes_total, deadlocks::float8 AS pg_deadlocks_total,
		CASE WHEN current_setting('track_io_timing')::bool THEN blk_read_time / 1000 END AS pg_read_seconds_total,
		CASE WHEN current_setting('track_io_timing')::bool THEN blk_write_time / 1000 END AS pg_write_seconds_total
		FROM pg_stat_database WHERE datname = current_database()`

	// Version 18 has moved writes and flushes of the log to pg_stat_io.
	walFigures = `SELECT wal_records::float8 AS pg_wal_records_total, wal_fpi::float8 AS pg_wal_full_pages_total,
		wal_bytes::float8 AS pg_wal_bytes_total, (to_jsonb(w) ->> 'wal_write')::float8 AS pg_wal_writes_total,
		(to_jsonb(w) ->> 'wal_sync')::float8 AS pg_wal_flushes_total
		FROM pg_stat_wal AS w`

	ioFigures = `SELECT sum(reads)::float8 AS pg_io_reads_total, sum(writes)::float8 AS pg_io_writes_total,
		sum(extends)::float8 AS pg_io_extends_total, sum(evictions)::float8 AS pg_io_evictions_total
		FROM pg_stat_io WHERE object <> 'wal'`

	// Each connection is counted once. pg_waiting_log is the wait for the log, mostly for the flush of a commit.
	activityFigures = `SELECT count(*) FILTER (WHERE state = 'active')::float8 AS pg_active,
		count(*) FILTER (WHERE active AND log)::float8 AS pg_waiting_log,
		count(*) FILTER (WHERE active AND NOT log AND wait_event_type = 'IO')::float8 AS pg_waiting_io,
		count(*) FILTER (WHERE active AND wait_event_type = 'Lock')::float8 AS pg_waiting_lock,
		count(*) FILTER (WHERE active AND NOT log AND wait_event_type = 'LWLock')::float8 AS pg_waiting_lwlock
		FROM (SELECT *, state = 'active' AS active,
				wait_event_type IN ('IO', 'LWLock') AND wait_event ILIKE 'wal%' AS log
			FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()
				AND coalesce(backend_type, 'client backend') = 'client backend') AS a
		HAVING count(*) FILTER (WHERE query = '<insufficient privilege>') = 0`
)

// tablePools counts for each table its rows, its indexes and its long values; partitions count with their table.
const tablePools = `SELECT p.name, sum(p.hits)::bigint, sum(p.misses)::bigint
	FROM pg_statio_user_tables AS s,
		LATERAL (SELECT coalesce((SELECT relname FROM pg_class WHERE oid = pg_partition_root(s.relid)), s.relname))
			AS t (name),
		LATERAL (VALUES (t.name::text, s.heap_blks_hit, s.heap_blks_read),
			(t.name || ', indexes', s.idx_blks_hit, s.idx_blks_read),
			(t.name || ', TOAST', s.toast_blks_hit + s.tidx_blks_hit, s.toast_blks_read + s.tidx_blks_read))
			AS p (name, hits, misses)
	WHERE s.schemaname = 'brokerage' GROUP BY p.name HAVING sum(p.hits) + sum(p.misses) > 0 ORDER BY p.name`

// Process returns the postmaster when it runs on this machine: it is the parent of the process that serves our
// connection. A cluster has several.
func (a *Admin) Process() int {
	if a.cluster {
		return 0
	}
	config := a.conn.Config()
	return processes.Here.ParentOf(int(a.conn.PgConn().PID()), "postgres: ", config.User+" "+config.Database+" ")
}

// Observe returns what the server counts, for all clients of the database; the log and what has the prefix pg_io_ for
// all databases. The server may count up to a second late.
func (a *Admin) Observe(ctx context.Context) (server store.ServerStats, err error) {
	miss := func(text string) { server.Missing = append(server.Missing, text) }
	queries := []string{databaseFigures, walFigures, activityFigures}
	if version, _, _ := strings.Cut(a.conn.PgConn().ParameterStatus("server_version"), "."); version >= "16" {
		queries = append(queries, ioFigures)
	} else {
		miss("pg_stat_io: the server is older than version 16")
	}
	if a.cluster {
		miss("other nodes: only the one that the URL names is read")
	}
	server.Figures = make(map[string]float64)
	for _, query := range queries {
		rows, _ := a.conn.Query(ctx, query) // CollectRows returns the error
		found, err := pgx.CollectRows(rows, pgx.RowToMap)
		if err != nil {
			return server, err
		}
		for _, row := range found {
			for name, value := range row {
				if figure, ok := value.(float64); ok {
					server.Figures[name] = figure
				}
			}
		}
	}
	if _, shown := server.Figures["pg_active"]; !shown {
		miss("waits: the role may not see other roles' connections (GRANT pg_read_all_stats)")
	}
	if _, timed := server.Figures["pg_read_seconds_total"]; !timed {
		miss("time of I/O: track_io_timing is off")
	}
	rows, _ := a.conn.Query(ctx, tablePools) // CollectRows returns the error
	server.Pools, err = pgx.CollectRows(rows, pgx.RowToStructByPos[store.PoolStats])
	return server, err
}
