package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// readers is the pool of connections for reading.
//
// SQLite empties the cache of a connection when the connection begins to read after another one has committed. Under a
// mixed load this happens before every lookup, and makes it six times slower. Therefore a connection keeps its
// snapshot from one lookup to the next. What it reads is checked against the changes since the snapshot was taken, and
// is read again from a new snapshot if it may have changed. An answer is always what was committed at some moment
// during the call.
type readers struct {
	changes *changes

	running chan struct{} // holds a value for each read that runs
	closed  chan struct{}
	waits   atomic.Int64 // reads that had to wait until another ended
	waited  atomic.Int64 // nanoseconds, all together

	hits, misses atomic.Int64 // reads that a kept snapshot answered, and the others
	pages        pageReads

	mu   sync.Mutex
	idle []*reader // a stack: the last one's cache is warm
	keep bool      // readers may keep snapshots; false, for example, while the journal is too long

	newest struct { // reads what has changed since the snapshots of the others
		sync.Mutex
		*reader
	}
}

// A reader is a session that reads from a snapshot.
type reader struct {
	session

	open   bool   // it has a snapshot
	from   uint64 // the snapshot is of this time or later; see changes
	misses int    // reads for which the snapshot was too old
}

func newReaders(ctx context.Context, db *sql.DB, n int) (*readers, error) {
	rs := &readers{
		changes: &changes{seed: maphash.MakeSeed(), last: make([]atomic.Uint64, 1<<16)},
		running: make(chan struct{}, n), closed: make(chan struct{}), keep: true,
	}
	texts := map[string]string{"BEGIN": "BEGIN", "COMMIT": "COMMIT"}
	for name, text := range statementTexts {
		if strings.HasPrefix(text, "SELECT") {
			texts[name] = text
		}
	}
	rs.newest.reader = &reader{}
	for range n {
		rs.idle = append(rs.idle, &reader{})
	}
	for _, r := range append(rs.idle, rs.newest.reader) {
		if err := r.prepare(ctx, db, texts); err != nil {
			return rs, err
		}
	}
	return rs, nil
}

// maxMisses is for how many reads a reader keeps a snapshot that is too old for them. The newest reader does these
// reads instead, so that the reader's cache stays warm for other reads.
const maxMisses = 50

// read reads the columns of the one row of a query, or returns sql.ErrNoRows. It waits for a connection until ctx ends.
func (rs *readers) read(ctx context.Context, st *statement, args, columns []any) error {
	if err := rs.acquire(ctx); err != nil {
		return err
	}
	rs.mu.Lock()
	r := rs.idle[len(rs.idle)-1]
	rs.idle = rs.idle[:len(rs.idle)-1]
	rs.mu.Unlock()
	defer rs.put(r)

	kept := r.open
	tooOld := kept && st.slow && rs.changes.since(r.from, st.depends(args, nil)...)
	if !tooOld {
		err := r.readRow(ctx, rs.changes, st, args, columns)
		switch {
		case !kept:
			rs.misses.Add(1)
			return err
		case err != nil && !noRows(err):
			return err
		case !rs.changes.affect(r.from, st, args, columns, err):
			rs.hits.Add(1)
			return err
		}
	}
	rs.misses.Add(1)
	if r.misses++; r.misses > maxMisses || !rs.newest.TryLock() {
		r.endSnapshot() // does not wait for the newest reader, which may be in a search
		return r.readRow(ctx, rs.changes, st, args, columns)
	}
	defer rs.newest.Unlock()
	defer rs.newest.endSnapshot()
	return rs.newest.readRow(ctx, rs.changes, st, args, columns)
}

// acquire waits for another read to end if all connections are in use, until ctx ends.
func (rs *readers) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case rs.running <- struct{}{}:
		return nil
	default:
	}
	began := time.Now()
	defer func() {
		rs.waits.Add(1)
		rs.waited.Add(int64(time.Since(began)))
	}()
	select {
	case rs.running <- struct{}{}:
		return nil
	case <-rs.closed:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// put returns a reader to the pool.
func (rs *readers) put(r *reader) {
	rs.mu.Lock()
	if !rs.keep {
		r.endSnapshot()
	}
	rs.idle = append(rs.idle, r)
	rs.mu.Unlock()
	<-rs.running
}

// keepSnapshots sets whether readers may keep their snapshots. When they may not, snapshots that are not in use end at
// once, and the others after their read.
func (rs *readers) keepSnapshots(keep bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.keep = keep
	if !keep {
		for _, r := range rs.idle {
			r.endSnapshot()
		}
	}
}

// close refuses new reads, waits for running ones and closes the connections.
func (rs *readers) close() error {
	close(rs.closed)
	for range cap(rs.running) {
		rs.running <- struct{}{}
	}
	var errs []error
	for _, r := range append(rs.idle, rs.newest.reader) {
		r.endSnapshot()
		errs = append(errs, r.session.close())
	}
	return errors.Join(errs...)
}

// readRow reads a row in the snapshot of the reader, a new one if it has none. An error of the database ends the
// snapshot.
//
// Only a slow query has the context: a lookup by key takes microseconds, and a goroutine that watches the context would
// add a fifth to that. It would not help against a stalled disk either, because a blocked read cannot be interrupted.
func (r *reader) readRow(ctx context.Context, changes *changes, st *statement, args, columns []any) error {
	if !st.slow {
		ctx = context.Background()
	}
	if !r.open {
		r.from = changes.ends.Load()
		if _, err := r.execute("BEGIN"); err != nil {
			return err
		}
		r.open, r.misses = true, 0
	}
	err := r.row(ctx, st.name, args, columns)
	if err != nil && !noRows(err) {
		r.endSnapshot()
	}
	return err
}

// endSnapshot ends the snapshot, if there is one. An error would mean that it has ended already.
func (r *reader) endSnapshot() {
	if r.open {
		_, _ = r.execute("COMMIT")
		r.open = false
	}
}

// changes records when each document was last changed. It shows, without reading a document again, whether what was
// read is still current. This is needed for a write that was planned before it reached the writer (see revise), and
// for a connection that reads from a snapshot that it has kept (see readers).
//
// Time is counted in changes: a reader that loads ends before it reads a document sees at least what was committed by
// then. A change is noted before it is committed. Documents are hashed to the slots of a table and share them, so an
// unchanged document may seem changed, which costs another read. A changed document never seems unchanged.
type changes struct {
	ends  atomic.Uint64 // the last change of the groups that have ended, committed or not
	noted atomic.Uint64 // the last change; only the writer adds one
	all   atomic.Uint64 // the last change by noteAll, which may be of anything
	seed  maphash.Seed
	last  []atomic.Uint64
}

// A documentKey names a document by its id or its symbol, or other data that changes, such as a setting.
type documentKey struct {
	kind   kind
	id     int64
	symbol string
}

const (
	settings kind = "setting"
	ordersOf kind = "orders of an account"
	searched kind = "columns that securities are searched by"
)

var searchedKey = documentKey{kind: searched}

// keyOf returns the key of a document or of other data. Its argument of is an id, a symbol, another name, or a
// pointer to an id that was read from a column.
func keyOf(k kind, of any) documentKey {
	key := documentKey{kind: k}
	switch id := of.(type) {
	case int64:
		key.id = id
	case *int64:
		key.id = *id
	case string:
		key.symbol = id
	}
	return key
}

func (c *changes) slot(key documentKey) *atomic.Uint64 {
	return &c.last[maphash.Comparable(c.seed, key)%uint64(len(c.last))]
}

// note notes changes by the current group.
func (c *changes) note(keys ...documentKey) {
	change := c.noted.Load()
	for _, key := range keys {
		change++
		c.slot(key).Store(change)
	}
	c.noted.Store(change)
}

// noteAll notes that anything may have changed.
func (c *changes) noteAll() { c.all.Store(c.noted.Add(1)) }

// endGroup ends the current group, committed or not.
func (c *changes) endGroup() { c.ends.Store(c.noted.Load()) }

// since reports whether any of the documents, or anything at all (noteAll), may have changed after a given time.
func (c *changes) since(after uint64, keys ...documentKey) bool {
	if after < c.all.Load() {
		return true
	}
	for _, key := range keys {
		if c.slot(key).Load() > after {
			return true
		}
	}
	return false
}

// affect reports whether what a query has read (columns, or err for no row) may have changed after a given time. A
// missing row may have been inserted by any change, including one of a group that has been committed but has not ended:
// another reader may have seen that change already.
func (c *changes) affect(after uint64, st *statement, args, columns []any, err error) bool {
	switch {
	case err != nil:
		return c.noted.Load() > after || c.since(after)
	case st.depends != nil:
		return c.since(after, st.depends(args, columns)...)
	default:
		return c.since(after, keyOf(st.kind, args[0]))
	}
}
