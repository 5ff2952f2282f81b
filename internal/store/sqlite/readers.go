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

	"modernc.org/sqlite"

	"brokerage/internal/brokerage"
)

// readers are the connections for reading.
//
// SQLite empties a connection's cache when it finds, as it begins to read, that
// another has committed; under mixed load that is at every look-up, which then
// takes six times as long. So a connection keeps its snapshot from one look-up to
// the next, and what is read from it is held against the changes since: if it may
// have changed, it is read again from a new snapshot. An answer is thus always
// what was committed at some moment of its call.
type readers struct {
	*places

	changes *changes

	hits, misses atomic.Int64 // reads by whether a kept snapshot did
	pages        pageReads

	mu   sync.Mutex
	idle []*reader // the one used last, whose memory is warm, is taken first
	keep bool      // snapshots; not while the journal is to be emptied

	newest struct { // reads what has changed since a snapshot
		sync.Mutex
		*reader
	}
}

// reader is a connection with its statements, which skip what database/sql adds
// to each: a quarter of a look-up.
type reader struct {
	conn       *sql.Conn
	statements map[string]driver.StmtQueryContext
	beginning  driver.StmtExecContext
	ending     driver.StmtExecContext
	all        []driver.Stmt
	status     sqlite.DBStatus

	open   bool   // it has a snapshot,
	as     uint64 // which is of this time at least (see changes),
	missed int    // and has been too old so often
}

func newReaders(ctx context.Context, db *sql.DB, n int, texts map[string]string) (*readers, error) {
	rs := &readers{places: newPlaces(n), changes: newChanges(), keep: true}
	for range n {
		r, err := newReader(ctx, db, texts)
		rs.idle = append(rs.idle, r)
		if err != nil {
			return rs, err
		}
	}
	var err error
	rs.newest.reader, err = newReader(ctx, db, texts)
	return rs, err
}

func newReader(ctx context.Context, db *sql.DB, texts map[string]string) (*reader, error) {
	r := &reader{statements: make(map[string]driver.StmtQueryContext)}
	var err error
	if r.conn, err = db.Conn(ctx); err != nil {
		return r, err
	}
	r.status = statusOf(r.conn)
	return r, r.conn.Raw(func(c any) error {
		prepare := func(text string) (driver.Stmt, error) {
			stmt, err := c.(driver.ConnPrepareContext).PrepareContext(ctx, text)
			if err == nil {
				r.all = append(r.all, stmt)
			}
			return stmt, err
		}
		for name, text := range texts {
			if !strings.HasPrefix(text, "SELECT") {
				continue
			}
			stmt, err := prepare(text)
			if err != nil {
				return fmt.Errorf("statement %s: %w", name, err)
			}
			r.statements[name] = stmt.(driver.StmtQueryContext)
		}
		begin, err := prepare("BEGIN")
		if err != nil {
			return err
		}
		end, err := prepare("COMMIT")
		if err != nil {
			return err
		}
		r.beginning, r.ending = begin.(driver.StmtExecContext), end.(driver.StmtExecContext)
		return nil
	})
}

// read does something with a reader, again if what was read may have changed:
// depends gives, after it was read, what it depends on. What is known before, of
// a search that takes long, is not read from a snapshot that is too old for it.
func (rs *readers) read(ctx context.Context, do func(*reader) error, depends func() []documentKey, known ...documentKey) error {
	if err := rs.take(ctx); err != nil {
		return err
	}
	rs.mu.Lock()
	r := rs.idle[len(rs.idle)-1]
	rs.idle = rs.idle[:len(rs.idle)-1]
	rs.mu.Unlock()
	defer rs.put(r)
	kept := r.open
	if !kept || !rs.changes.any(r.as, known...) {
		err := r.in(rs.changes, do)
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
	if r.missed++; r.missed > missesBorne || !rs.newest.TryLock() {
		r.forget() // rather than wait for another, who may search
		return r.in(rs.changes, do)
	}
	defer rs.newest.Unlock()
	defer rs.newest.forget()
	return rs.newest.in(rs.changes, do)
}

// missesBorne is how often a reader keeps its snapshot although something has
// changed since: that one is read by the connection that is there for it, and the
// memory of this stays warm.
const missesBorne = 50

func (rs *readers) put(r *reader) {
	rs.mu.Lock()
	if !rs.keep {
		r.forget()
	}
	rs.idle = append(rs.idle, r)
	rs.mu.Unlock()
	rs.leave()
}

// keepSnapshots tells whether they may be kept from now on; if not, none is but
// those that are being read from, for as long as that takes.
func (rs *readers) keepSnapshots(keep bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.keep = keep
	if !keep {
		for _, r := range rs.idle {
			r.forget()
		}
	}
}

// close waits for those that read. Who comes later is refused.
func (rs *readers) close() error {
	rs.places.close()
	var errs []error
	for _, r := range append(rs.idle, rs.newest.reader) {
		if r == nil || r.conn == nil {
			continue
		}
		r.forget()
		errs = append(errs, r.conn.Raw(func(any) error {
			var errs []error
			for _, stmt := range r.all {
				errs = append(errs, stmt.Close())
			}
			return errors.Join(errs...)
		}), r.conn.Close())
	}
	return errors.Join(errs...)
}

// in does something in the snapshot, a new one if there is none. An error that
// is not of what was looked for ends it. The reader has the connection to itself,
// so it is not in sql.Conn.Raw, which after a panic would close it for good.
func (r *reader) in(changes *changes, do func(*reader) error) error {
	if !r.open {
		r.as = changes.ends.Load()
		if _, err := r.beginning.ExecContext(context.Background(), nil); err != nil {
			return err
		}
		r.open, r.missed = true, 0
	}
	err := do(r)
	if err != nil && !noRows(err) {
		r.forget()
	}
	return err
}

// forget ends the snapshot. An error would be that there is none.
func (r *reader) forget() {
	if r.open {
		_, _ = r.ending.ExecContext(context.Background(), nil)
		r.open = false
	}
}

// outdated tells whether what was read from a kept snapshot may have changed. Of
// what was not found, nothing is known but that it was not there: any change may
// have brought it, one of a group too that is committed and has not ended yet,
// because others may have read it already.
func (r *reader) outdated(err error, changes *changes, depends func() []documentKey) bool {
	if err != nil {
		return changes.noted.Load() > r.as || changes.any(r.as)
	}
	return changes.any(r.as, depends()...)
}

// row reads the one row of a key, or gives sql.ErrNoRows. It has no context: see find.
func (r *reader) row(st *statement, key any, columns []any) error {
	err := sql.ErrNoRows
	failed := r.rows(context.Background(), st, []any{key}, func(row []driver.Value) error {
		err = assign(row, columns...)
		return nil
	})
	return cmp.Or(failed, err)
}

// rows gives the rows of a statement to each.
func (r *reader) rows(ctx context.Context, st *statement, args []any, each func([]driver.Value) error) (err error) {
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

// assign takes the values of a row; the driver makes them anew for each row.
func assign(row []driver.Value, columns ...any) error {
	if len(row) != len(columns) {
		return &brokerage.Damaged{Cause: fmt.Errorf("%d columns where %d were expected", len(row), len(columns))}
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
