package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	processes "brokerage/internal/probe"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// An Admin is a connection that reads the settings, and the page hits and misses, of a server.
type Admin struct {
	conn    *pgx.Conn
	cluster bool // whether the database has the extension citus
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

// Settings returns the named settings, but only those that the server has.
func (a *Admin) Settings(ctx context.Context, names []string) ([]tpox.Setting, error) {
	rows, _ := a.conn.Query(ctx, `SELECT name, current_setting(name)
		FROM pg_settings WHERE name = ANY($1) ORDER BY array_position($1, name)`, names)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[tpox.Setting]) // the error of the query, too
}

// tablePools returns the hits and misses of each table, its indexes and its TOAST; partitions count with their table.
const tablePools = `SELECT p.name, sum(p.hits)::bigint, sum(p.misses)::bigint
	FROM pg_statio_user_tables AS s,
		LATERAL (SELECT coalesce((SELECT relname FROM pg_class WHERE oid = pg_partition_root(s.relid)), s.relname))
			AS t (name),
		LATERAL (VALUES (t.name::text, s.heap_blks_hit, s.heap_blks_read),
			(t.name || ', indexes', s.idx_blks_hit, s.idx_blks_read),
			(t.name || ', TOAST', s.toast_blks_hit + s.tidx_blks_hit, s.toast_blks_read + s.tidx_blks_read))
			AS p (name, hits, misses)
	WHERE s.schemaname = 'brokerage' GROUP BY p.name HAVING sum(p.hits) + sum(p.misses) > 0 ORDER BY p.name`

// Process returns the id of the postmaster, the parent of the process that serves this connection. It returns 0 if
// that runs on another machine, and for a cluster, which has several.
func (a *Admin) Process() int {
	if a.cluster {
		return 0
	}
	config := a.conn.Config()
	return processes.Here.ParentOf(int(a.conn.PgConn().PID()), "postgres: ", config.User+" "+config.Database+" ")
}

// Pools returns the hits and misses of each table, for all clients of the database; of a cluster, those of the node
// that the URL names. The server may count up to a second late.
func (a *Admin) Pools(ctx context.Context) ([]store.PoolStats, error) {
	rows, _ := a.conn.Query(ctx, tablePools) // CollectRows returns the error
	return pgx.CollectRows(rows, pgx.RowToStructByPos[store.PoolStats])
}
