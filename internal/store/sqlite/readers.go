package sqlite

import (
	"context"
	"database/sql"
	"errors"
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
	keep bool      // readers may keep snapshots; false while the journal is too long

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
	rs := &readers{changes: newChanges(), running: make(chan struct{}, n), closed: make(chan struct{}), keep: true}
	for range n {
		r, err := newReader(ctx, db)
		rs.idle = append(rs.idle, r)
		if err != nil {
			return rs, err
		}
	}
	var err error
	rs.newest.reader, err = newReader(ctx, db)
	return rs, err
}

func newReader(ctx context.Context, db *sql.DB) (*reader, error) {
	texts := map[string]string{"BEGIN": "BEGIN", "COMMIT": "COMMIT"}
	for name, text := range statementTexts {
		if strings.HasPrefix(text, "SELECT") {
			texts[name] = text
		}
	}
	r := &reader{}
	err := r.prepare(ctx, db, texts)
	return r, err
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

// read calls do with a reader. It calls do again, with a new snapshot, if what was read may have changed: depends
// returns the keys that the result depends on, and is called after do. A caller that knows keys beforehand, such as a
// search, which takes long, passes them as known: then do is not called with a kept snapshot that is too old for them.
func (rs *readers) read(
	ctx context.Context, do func(*reader) error, depends func() []documentKey, known ...documentKey,
) error {
	if err := rs.acquire(ctx); err != nil {
		return err
	}
	rs.mu.Lock()
	r := rs.idle[len(rs.idle)-1]
	rs.idle = rs.idle[:len(rs.idle)-1]
	rs.mu.Unlock()
	defer rs.put(r)
	kept := r.open
	if !kept || !rs.changes.since(r.from, known...) {
		err := r.inSnapshot(rs.changes, do)
		switch {
		case !kept:
			rs.misses.Add(1)
			return err
		case err != nil && !noRows(err):
			return err
		case !r.outdated(err, rs.changes, depends):
			rs.hits.Add(1)
			return err
		}
	}
	rs.misses.Add(1)
	if r.misses++; r.misses > maxMisses || !rs.newest.TryLock() {
		r.endSnapshot() // does not wait for the newest reader, which may be in a search
		return r.inSnapshot(rs.changes, do)
	}
	defer rs.newest.Unlock()
	defer rs.newest.endSnapshot()
	return rs.newest.inSnapshot(rs.changes, do)
}

// maxMisses is how often a reader keeps a snapshot that is too old for a read. That read is done by the newest reader,
// so that the cache of this one stays warm for others.
const maxMisses = 50

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
		if r != nil {
			r.endSnapshot()
			errs = append(errs, r.session.close())
		}
	}
	return errors.Join(errs...)
}

// inSnapshot calls do in the snapshot of the reader, a new one if it has none. An error of the database ends the
// snapshot. It does not use sql.Conn.Raw, which closes the connection after a panic: the caller has the reader alone.
func (r *reader) inSnapshot(changes *changes, do func(*reader) error) error {
	if !r.open {
		r.from = changes.ends.Load()
		if _, err := r.execute("BEGIN"); err != nil {
			return err
		}
		r.open, r.misses = true, 0
	}
	err := do(r)
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

// outdated reports whether what was read from a kept snapshot may have changed. A row that was not found may have been
// inserted by any change since, including one of a group that has been committed but has not ended: another reader may
// have seen that change already.
func (r *reader) outdated(err error, changes *changes, depends func() []documentKey) bool {
	if err != nil {
		return changes.noted.Load() > r.from || changes.since(r.from)
	}
	return changes.since(r.from, depends()...)
}
