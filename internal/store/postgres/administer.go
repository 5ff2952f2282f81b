package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

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
