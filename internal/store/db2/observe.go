package db2

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"brokerage/internal/store"
)

// Watch opens a connection that reads what the server of a database counts.
func Watch(ctx context.Context, url string) (*Observer, error) {
	s, err := Open(ctx, url, Options{Pool: 1, AsIs: true})
	if err != nil {
		return nil, err
	}
	return &Observer{s}, nil
}

// An Observer reads what a server counts, from the monitoring functions MON_GET_….
type Observer struct{ store *Store }

// Process returns 0: the processes of Db2 do not say which database they serve.
func (w *Observer) Process() int { return 0 }

// Close closes the connection.
func (w *Observer) Close() error { return w.store.Close() }

// databaseFigures are the columns of observe_database, with what their unit is divided by.
var databaseFigures = []struct {
	name string
	unit float64
}{
	{"db2_commits_total", 1}, {"db2_rollbacks_total", 1}, {"db2_cpu_seconds_total", 1e6},
	{"db2_lock_waits_total", 1}, {"db2_lock_wait_seconds_total", 1e3}, {"db2_deadlocks_total", 1},
	{"db2_read_seconds_total", 1e3}, {"db2_write_seconds_total", 1e3},
	{"db2_log_waits_total", 1}, {"db2_log_wait_seconds_total", 1e3},
	{"db2_pages_read_total", 1}, {"db2_pages_written_total", 1},
	{"db2_connections", 1}, {"db2_active", 1}, {"db2_waiting_lock", 1},
}

// A part of what a server counts, with the function that reads a row of it.
type part struct {
	function, statement string
	read                func(*sql.Rows) error
}

// Observe returns what the server counts, for all clients of the database; its statements, if cache is set, are those
// in the package cache. What the user may not read is missing; it
// fails when that is everything.
func (w *Observer) Observe(ctx context.Context, cache bool) (server store.ServerStats, err error) {
	server.Figures = make(map[string]float64)
	parts := []part{
		{"MON_GET_DATABASE", "observe_database", func(rows *sql.Rows) error { return readFigures(rows, server.Figures) }},
		{"MON_GET_BUFFERPOOL", "observe_pools", func(rows *sql.Rows) error {
			var asked, read int64
			var p store.PoolStats
			err := rows.Scan(&p.Name, &asked, &read)
			p.Name, p.Hits, p.Misses = strings.TrimSpace(p.Name), max(asked-read, 0), read
			server.Pools = append(server.Pools, p)
			return err
		}},
	}
	cached := make(map[string]store.StatementStats)
	if cache {
		parts = append(parts, part{"MON_GET_PKG_CACHE_STMT", "observe_statements", func(rows *sql.Rows) error {
			return readStatement(rows, cached)
		}})
	}
	for _, p := range parts {
		if failed := eachRow(ctx, w.store.db, statements[p.statement], nil, p.read); failed != nil {
			server.Missing = append(server.Missing, p.function+": "+failed.Error())
			err = failed
		}
	}
	if len(server.Missing) < len(parts) {
		err = nil
	}
	for _, text := range slices.Sorted(maps.Keys(cached)) {
		server.Statements = append(server.Statements, cached[text])
	}
	return server, err
}

// readFigures reads the row of observe_database; a column that is NULL is left out.
func readFigures(rows *sql.Rows, figures map[string]float64) error {
	columns := make([]sql.NullInt64, len(databaseFigures))
	into := make([]any, len(columns))
	for i := range columns {
		into[i] = &columns[i]
	}
	err := rows.Scan(into...)
	for i, column := range columns {
		if column.Valid {
			figures[databaseFigures[i].name] = float64(column.Int64) / databaseFigures[i].unit
		}
	}
	return err
}

// readStatement adds a row of observe_statements: a statement has one for each member and environment.
func readStatement(rows *sql.Rows, cached map[string]store.StatementStats) error {
	var text string
	var calls, millis, returned int64
	err := rows.Scan(&text, &calls, &millis, &returned)
	text = strings.TrimSpace(text)
	s := cached[text]
	cached[text] = store.StatementStats{
		Name: names[text], Text: text,
		Calls: s.Calls + calls, Seconds: s.Seconds + float64(millis)/1e3, Rows: s.Rows + returned,
	}
	return err
}
