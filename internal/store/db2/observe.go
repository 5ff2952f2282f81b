package db2

import (
	"context"
	"database/sql"
	"strings"

	"brokerage/internal/store"
)

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

// Observe returns what the server counts, for all clients of the database. What the user may not read is missing; it
// fails when that is everything.
func (w *Observer) Observe(ctx context.Context) (server store.ServerStats, err error) {
	asked := 0
	ask := func(function, name string, read func(*sql.Rows) error) {
		asked++
		if failed := eachRow(ctx, w.store.db, statements[name], nil, read); failed != nil {
			server.Missing = append(server.Missing, function+": "+failed.Error())
			err = failed
		}
	}
	server.Figures = make(map[string]float64)
	ask("MON_GET_DATABASE", "observe_database", func(rows *sql.Rows) error {
		columns, into := make([]sql.NullInt64, len(databaseFigures)), make([]any, len(databaseFigures))
		for i := range columns {
			into[i] = &columns[i]
		}
		err := rows.Scan(into...)
		for i, column := range columns {
			if column.Valid {
				server.Figures[databaseFigures[i].name] = float64(column.Int64) / databaseFigures[i].unit
			}
		}
		return err
	})
	ask("MON_GET_BUFFERPOOL", "observe_pools", func(rows *sql.Rows) error {
		var asked, read int64
		var p store.PoolStats
		err := rows.Scan(&p.Name, &asked, &read)
		p.Name, p.Hits, p.Misses = strings.TrimSpace(p.Name), max(asked-read, 0), read
		server.Pools = append(server.Pools, p)
		return err
	})
	if len(server.Missing) < asked {
		err = nil
	}
	return server, err
}
