package sqlite

import (
	"database/sql"
	"sync/atomic"

	"modernc.org/sqlite"
)

// pageReads counts the pages that SQLite found in the cache of a connection, and those it read from the system.
type pageReads struct{ hits, misses atomic.Int64 }

// add adds what a connection has counted since the last call. The caller must have the connection alone, because it
// uses the connection's memory.
func (p *pageReads) add(status sqlite.DBStatus) {
	if status == nil {
		return
	}
	for _, counter := range []struct {
		op  sqlite.DBStatusOp
		sum *atomic.Int64
	}{{sqlite.DBStatusCacheHit, &p.hits}, {sqlite.DBStatusCacheMiss, &p.misses}} {
		// SQLite counts in 32 bits, so the counter is reset each time.
		if n, _, err := status.Status(counter.op, true); err == nil && n > 0 {
			counter.sum.Add(int64(n))
		}
	}
}

// statusOf returns the counters of a connection; nil if it has none.
func statusOf(conn *sql.Conn) (status sqlite.DBStatus) {
	_ = conn.Raw(func(c any) error { // without them there are no figures, and no harm
		status, _ = c.(sqlite.DBStatus)
		return nil
	})
	return status
}

// countPages adds what the idle connections have counted. What the others have counted is added later.
func (rs *readers) countPages() {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.idle {
		rs.pages.add(r.status)
	}
}
