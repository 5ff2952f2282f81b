package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"brokerage/internal/brokerage"
)

// A query reads what a transaction has to know before it writes.
type query struct {
	statement string
	args      []any
	into      []any // where the columns of its row go
	// scan takes the rows in place of into, for a statement that returns one for each of several documents. It returns
	// pgx.ErrNoRows when one is missing.
	scan     func(pgx.Rows) error
	notFound error // returned when a row is missing; nil leaves that to edit
}

func (q query) read(results pgx.BatchResults) error {
	if q.scan == nil {
		return results.QueryRow().Scan(q.into...)
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	err = q.scan(rows)
	rows.Close()
	if failed := rows.Err(); failed != nil {
		return failed
	}
	return err
}

func lockCustomer(id brokerage.ID, doc *[]byte) []query {
	return []query{
		{statement: "lock_customer", args: []any{id}, into: []any{doc}, notFound: brokerage.NoCustomer(id)},
	}
}

func lockSecurity(symbol string, doc *[]byte) []query {
	return []query{
		{statement: "lock_security", args: []any{symbol}, into: []any{doc}, notFound: brokerage.NoSecurity(symbol)},
	}
}

// A change is a statement that writes one document; triggers update the rows that are derived from it.
type change struct {
	statement string
	args      []any
	notFound  error // returned when the statement finds no row; for a document that was not locked
	answer    []byte
	more      []change // to other documents, all of which the transaction has locked
}

// tooLarge reports whether a document is larger than size.
func (c change) tooLarge(size int) bool {
	return size < anySize &&
		(isLarge(c.args) || slices.ContainsFunc(c.more, func(c change) bool { return c.tooLarge(size) }))
}

// write runs a transaction: it runs the queries, calls edit, and makes the change that edit returns; with w.Once, once.
// The first query locks what is changed. Where that is more than one document, one statement locks them all, in
// ascending order of their keys (ORDER BY … FOR UPDATE), so that no two transactions wait for each other. edit is
// called again when everything had to be read again.
func (s *Store) write(
	ctx context.Context, w brokerage.Write, queries []query, edit func() (change, error),
) (answer []byte, err error) {
	answer, err = s.writeUpTo(ctx, largeBytes, w, queries, edit)
	if errors.Is(err, errLarge) {
		err = s.large.do(ctx, func() (err error) {
			answer, err = s.writeUpTo(ctx, anySize, w, queries, edit)
			return err
		})
	}
	return answer, err
}

// writeUpTo is write for documents of at most size bytes. For a larger one it returns errLarge, with nothing changed.
func (s *Store) writeUpTo(
	ctx context.Context, size int, w brokerage.Write, queries []query, edit func() (change, error),
) (answer []byte, err error) {
	unknown := false // a commit was sent, and its outcome is not known
	err = s.again(ctx, func(ctx context.Context) error {
		unknown = false
		if len(queries) == 0 && w.Once == nil {
			c, err := edit()
			if err != nil {
				return err
			}
			if c.tooLarge(size) {
				return errLarge
			}
			answer = c.answer
			unknown, err = s.single(ctx, c)
			return err
		}
		return s.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
			t := transaction{conn: conn.Conn(), w: w, size: size}
			err := t.run(ctx, queries, edit)
			answer, unknown = t.answer, t.unknown
			if err != nil {
				t.rollback(ctx)
			}
			return err
		})
	}, func(err error) bool { return !unknown && isTransient(err) })
	if err == nil && w.Once != nil {
		s.purge(ctx, w.Now)
	}
	if err != nil && !errors.Is(err, errLarge) {
		err = domainError(ctx, err, unknown)
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// single makes a change by one statement that commits by itself, in one round trip. unknown reports that it may have
// been committed although there is an error.
func (s *Store) single(ctx context.Context, c change) (unknown bool, err error) {
	tag, err := s.pool.Exec(ctx, statements[c.statement], c.args...)
	switch {
	case err == nil && tag.RowsAffected() == 0 && c.notFound != nil:
		return false, c.notFound
	case err == nil:
		return false, nil
	}
	// The commit comes after the statement is complete, so an error of the server before that means that there was none.
	_, refused := errors.AsType[*pgconn.PgError](err)
	return !(refused && tag.String() == "") && !neverSent(err), err
}

// neverSent reports whether the server cannot have received any of a statement.
func neverSent(err error) bool {
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	return connecting || pgconn.SafeToRetry(err)
}

// A transaction is one attempt at a write that locks first: a round trip that begins and reads, and one that writes and
// commits.
type transaction struct {
	conn    *pgx.Conn
	w       brokerage.Write
	size    int  // the largest document in bytes
	unknown bool // a commit was sent, and its outcome is not known
	answer  []byte
}

func (t *transaction) run(ctx context.Context, queries []query, edit func() (change, error)) error {
	switch answered, err := t.begin(ctx, queries); {
	case err != nil:
		return err
	case answered:
		t.rollback(ctx) // it has only read
		return nil
	}
	c, err := edit()
	if err != nil {
		return err
	}
	if c.tooLarge(t.size) {
		return errLarge
	}
	t.answer = c.answer
	if t.w.Once != nil {
		return t.writeOnce(ctx, c)
	}
	return t.writeLocked(ctx, c)
}

// begin begins the transaction and runs the queries, in one round trip. answered reports that the idempotency key has
// an answer already, which t.answer is then.
func (t *transaction) begin(ctx context.Context, queries []query) (answered bool, err error) {
	var b pgx.Batch
	b.Queue("BEGIN")
	if once := t.w.Once; once != nil {
		b.Queue(statements["lock_key"], lockOf(once))
		b.Queue(statements["get_answer"], []byte(once.Client), []byte(once.Key))
	}
	for _, q := range queries {
		args := q.args
		if classified[q.statement] {
			args = append(slices.Clip(args), t.size)
		}
		b.Queue(statements[q.statement], args...)
	}
	results := t.conn.SendBatch(ctx, &b)
	defer func() {
		if closed := results.Close(); err == nil {
			err = closed
		}
	}()
	if _, err := results.Exec(); err != nil {
		return false, err
	}
	if t.w.Once != nil {
		if answered, err = t.readAnswer(results); answered || err != nil {
			return answered, err
		}
	}
	for _, q := range queries {
		err := q.read(results)
		if errors.Is(err, pgx.ErrNoRows) {
			if classified[q.statement] && t.size < anySize {
				return false, errLarge // or there is none, which a query for any size will tell
			}
			err = q.notFound
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// writeLocked makes a change to documents that are locked, and commits, in one round trip.
func (t *transaction) writeLocked(ctx context.Context, c change) error {
	var b pgx.Batch
	b.Queue(statements[c.statement], c.args...)
	for _, c := range c.more {
		b.Queue(statements[c.statement], c.args...)
	}
	b.Queue("COMMIT")
	results := t.conn.SendBatch(ctx, &b)
	var err error
	for range b.Len() - 1 {
		if _, err = results.Exec(); err != nil {
			// A statement that failed keeps what is behind it in the batch from being run.
			_, refused := errors.AsType[*pgconn.PgError](err)
			t.unknown = !refused && !neverSent(err)
			break
		}
	}
	if err == nil {
		_, err = results.Exec()
		t.unknown = err != nil && !isConflict(err)
	}
	if closed := results.Close(); err == nil && closed != nil {
		t.unknown, err = true, closed
	}
	return err
}

func (t *transaction) commit(ctx context.Context) error {
	_, err := t.conn.Exec(ctx, "COMMIT")
	t.unknown = err != nil && !isConflict(err) && !neverSent(err)
	return err
}

// rollback ends a transaction that has failed, even when its request is over, so that others can use the connection.
func (t *transaction) rollback(ctx context.Context) {
	if t.conn.IsClosed() || t.conn.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelPatience)
	defer cancel()
	// A connection that cannot do even this is taken out of the pool.
	_, _ = t.conn.Exec(ctx, "ROLLBACK")
}
