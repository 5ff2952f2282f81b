package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"brokerage/internal/brokerage"
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

// A reader is a connection with its statements. They bypass database/sql, which takes a quarter of a lookup.
type reader struct {
	conn       *sql.Conn
	statements map[string]prepared
	status     sqlite.DBStatus

	open   bool   // it has a snapshot
	from   uint64 // the snapshot is of this time or later; see changes
	misses int    // reads for which the snapshot was too old
}

// A prepared is a statement of the driver.
type prepared interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

func newReaders(ctx context.Context, db *sql.DB, n int, changes *changes) (*readers, error) {
	rs := &readers{changes: changes, running: make(chan struct{}, n), closed: make(chan struct{}), keep: true}
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
	r := &reader{statements: make(map[string]prepared)}
	var err error
	if r.conn, err = db.Conn(ctx); err != nil {
		return r, err
	}
	r.status = statusOf(r.conn)
	texts := map[string]string{"BEGIN": "BEGIN", "COMMIT": "COMMIT"}
	for name, text := range statementTexts {
		if strings.HasPrefix(text, "SELECT") {
			texts[name] = text
		}
	}
	return r, r.conn.Raw(func(c any) error {
		for name, text := range texts {
			stmt, err := c.(driver.ConnPrepareContext).PrepareContext(ctx, text)
			if err != nil {
				return fmt.Errorf("statement %s: %w", name, err)
			}
			r.statements[name] = stmt.(prepared)
		}
		return nil
	})
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

// close refuses new reads, waits for running ones and closes the connections. SQLite keeps a connection open, and so
// its journal, as long as a statement exists.
func (rs *readers) close() error {
	close(rs.closed)
	for range cap(rs.running) {
		rs.running <- struct{}{}
	}
	var errs []error
	for _, r := range append(rs.idle, rs.newest.reader) {
		if r == nil || r.conn == nil {
			continue
		}
		r.endSnapshot()
		errs = append(errs, r.conn.Raw(func(any) error {
			var errs []error
			for _, stmt := range r.statements {
				errs = append(errs, stmt.Close())
			}
			return errors.Join(errs...)
		}), r.conn.Close())
	}
	return errors.Join(errs...)
}

// inSnapshot calls do in the snapshot of the reader, a new one if it has none. An error of the database ends the
// snapshot. It does not use sql.Conn.Raw, which closes the connection after a panic: the caller has the reader alone.
func (r *reader) inSnapshot(changes *changes, do func(*reader) error) error {
	if !r.open {
		r.from = changes.ends.Load()
		if _, err := r.statements["BEGIN"].ExecContext(context.Background(), nil); err != nil {
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
		_, _ = r.statements["COMMIT"].ExecContext(context.Background(), nil)
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

// row reads the one row of a key, or returns sql.ErrNoRows. It has no context; see find.
func (r *reader) row(st *statement, key any, columns []any) error {
	err := sql.ErrNoRows
	failed := r.rows(context.Background(), st, []any{key}, func(row []driver.Value) error {
		err = assign(row, columns...)
		return nil
	})
	return cmp.Or(failed, err)
}

// rows calls each with the rows of a statement.
func (r *reader) rows(
	ctx context.Context, st *statement, args []any, each func([]driver.Value) error,
) (err error) {
	named := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
	}
	rows, err := r.statements[st.name].QueryContext(ctx, named)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	row := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := each(row); err != nil {
			return err
		}
	}
}

// assign copies the values of a row to columns. The driver allocates values for each row, so they can be kept.
func assign(row []driver.Value, columns ...any) error {
	if len(row) != len(columns) {
		return &brokerage.Damaged{Cause: fmt.Errorf("a row has %d columns instead of %d", len(row), len(columns))}
	}
	for i, v := range row {
		var ok bool
		switch column := columns[i].(type) {
		case *[]byte:
			if *column, ok = v.([]byte); v == nil {
				ok = true
			}
		case *string:
			*column, ok = v.(string)
		case *int64:
			*column, ok = v.(int64)
		}
		if !ok {
			return &brokerage.Damaged{Cause: fmt.Errorf("column %d is of type %T, for %T", i+1, v, columns[i])}
		}
	}
	return nil
}
