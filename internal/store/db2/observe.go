package db2

import (
	"context"
	"database/sql"
	"strings"

	"brokerage/internal/store"
)

// An Observer reads what a server counts, from the monitoring function MON_GET_BUFFERPOOL.
type Observer struct{ store *Store }

// Process returns 0: the processes of Db2 do not say which database they serve.
func (w *Observer) Process() int { return 0 }

// Close closes the connection.
func (w *Observer) Close() error { return w.store.Close() }

// Pools returns the hits and misses of all clients of the database, for each buffer pool that was used.
func (w *Observer) Pools(ctx context.Context) (pools []store.PoolStats, err error) {
	err = eachRow(ctx, w.store.db, statements["observe_pools"], nil, func(rows *sql.Rows) error {
		var asked, read int64
		var p store.PoolStats
		err := rows.Scan(&p.Name, &asked, &read)
		p.Name, p.Hits, p.Misses = strings.TrimSpace(p.Name), max(asked-read, 0), read
		pools = append(pools, p)
		return err
	})
	return pools, err
}
