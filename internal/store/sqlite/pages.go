package sqlite

import (
	"database/sql"
	"sync/atomic"

	"modernc.org/sqlite"
)

// pageReads are how often SQLite found a page in the cache of a connection, and
// how often it had to ask the operating system.
type pageReads struct{ hits, misses atomic.Int64 }

// look takes what a connection has counted since the last look. Only who has the
// connection to itself may look: it uses the connection's memory.
func (p *pageReads) look(status sqlite.DBStatus) {
	if status == nil {
		return
	}
	for _, counter := range []struct {
		op  sqlite.DBStatusOp
		sum *atomic.Int64
	}{{sqlite.DBStatusCacheHit, &p.hits}, {sqlite.DBStatusCacheMiss, &p.misses}} {
		// SQLite counts in 32 bits, so it begins anew each time.
		if n, _, err := status.Status(counter.op, true); err == nil && n > 0 {
			counter.sum.Add(int64(n))
		}
	}
}

// statusOf is how a connection is looked into; nil if it cannot be.
func statusOf(conn *sql.Conn) (status sqlite.DBStatus) {
	_ = conn.Raw(func(c any) error { // without one there are no figures, and no harm
		status, _ = c.(sqlite.DBStatus)
		return nil
	})
	return status
}

// look looks into the connections that nobody reads from now; the others are
// seen another time.
func (rs *readers) look() {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.idle {
		rs.pages.look(r.status)
	}
}
