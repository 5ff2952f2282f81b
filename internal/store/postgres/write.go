package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"brokerage/internal/brokerage"
)

// reading is a query of one row, in a transaction that writes: its name, what it
// is for, where its columns go, and the error if there is no row.
type reading struct {
	name    string
	args    []any
	into    []any
	missing error
}

// change is what a transaction writes: one statement on one document, with what
// depends on it done by triggers.
type change struct {
	name    string
	args    []any
	missing error // if the statement finds no row
	answer  []byte
}

// write does a transaction: it reads, the first of the readings with a lock,
// then edits, then writes what edit gives, once if w says so. Edit may be called
// again, after everything was read again.
func (s *Store) write(ctx context.Context, w brokerage.Write, readings []reading, edit func() (change, error)) (answer []byte, err error) {
	answer, err = s.writeUpTo(ctx, largeBytes, w, readings, edit)
	if errors.Is(err, errLarge) {
		err = s.large.do(ctx, func() (err error) {
			answer, err = s.writeUpTo(ctx, anySize, w, readings, edit)
			return err
		})
	}
	return answer, err
}

// writeUpTo is write for documents up to a size. A larger one is errLarge, and nothing was locked or changed.
func (s *Store) writeUpTo(ctx context.Context, size int, w brokerage.Write, readings []reading, edit func() (change, error)) (answer []byte, err error) {
	committing := false // something that commits was sent, and it is not known what became of it
	err = s.again(ctx, func(ctx context.Context) error {
		committing = false
		if len(readings) == 0 && w.Once == nil {
			c, err := edit()
			if err != nil {
				return err
			}
			if size < anySize && isLarge(c.args) {
				return errLarge
			}
			answer = c.answer
			committing, err = s.single(ctx, c)
			return err
		}
		return s.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
			t := transaction{conn: conn.Conn(), w: w, size: size}
			err := t.run(ctx, readings, edit)
			answer, committing = t.answer, t.committing
			if err != nil {
				t.rollback(ctx)
			}
			return err
		})
	}, func(err error) bool { return !committing && isTransient(err) })
	if err == nil && w.Once != nil {
		s.purge(ctx, w.Now)
	}
	if err != nil && !errors.Is(err, errLarge) {
		err = domainError(ctx, err, committing)
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// single is a transaction of one statement, which commits by itself, in one round
// trip. Unknown tells that it may have been committed although there is an error.
func (s *Store) single(ctx context.Context, c change) (unknown bool, err error) {
	tag, err := s.pool.Exec(ctx, statements[c.name], c.args...)
	switch {
	case err == nil && tag.RowsAffected() == 0 && c.missing != nil:
		return false, c.missing
	case err == nil:
		return false, nil
	}
	// The commit comes after the statement is complete, so an error of the server
	// before that says that there was none.
	_, refused := errors.AsType[*pgconn.PgError](err)
	return !(refused && tag.String() == "") && !neverSent(err), err
}

// neverSent tells whether the server cannot have seen any of a statement.
func neverSent(err error) bool {
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	return connecting || pgconn.SafeToRetry(err)
}

// transaction is one that locks before it writes.
type transaction struct {
	conn       *pgx.Conn
	w          brokerage.Write
	size       int // of documents, at most
	committing bool
	answer     []byte
}

func (t *transaction) run(ctx context.Context, readings []reading, edit func() (change, error)) error {
	switch kept, err := t.begin(ctx, readings); {
	case err != nil:
		return err
	case kept:
		t.rollback(ctx) // it has only read
		return nil
	}
	c, err := edit()
	if err != nil {
		return err
	}
	if t.size < anySize && isLarge(c.args) {
		return errLarge
	}
	t.answer = c.answer
	if t.w.Once != nil {
		return t.finishOnce(ctx, c)
	}
	var b pgx.Batch
	b.Queue(statements[c.name], c.args...)
	b.Queue("COMMIT")
	results := t.conn.SendBatch(ctx, &b)
	tag, err := results.Exec()
	switch {
	case err == nil && tag.RowsAffected() == 0 && c.missing != nil:
		// Nothing was changed, so that the commit behind it does no harm.
		err = c.missing
	case err == nil:
		_, err = results.Exec()
		t.committing = err != nil && !isConflict(err)
	default:
		// A statement that failed keeps what is behind it in the batch from being done.
		_, refused := errors.AsType[*pgconn.PgError](err)
		t.committing = !refused && !neverSent(err)
	}
	if closed := results.Close(); err == nil && closed != nil {
		t.committing, err = true, closed
	}
	return err
}

// begin begins the transaction and reads, in one round trip. Kept tells that the
// key has an answer already, which is the answer then.
func (t *transaction) begin(ctx context.Context, readings []reading) (kept bool, err error) {
	var b pgx.Batch
	b.Queue("BEGIN")
	if once := t.w.Once; once != nil {
		b.Queue(statements["lock_key"], lockOf(once))
		b.Queue(statements["get_answer"], []byte(once.Client), []byte(once.Key))
	}
	for _, r := range readings {
		args := r.args
		if classified[r.name] {
			args = append(slices.Clip(args), t.size)
		}
		b.Queue(statements[r.name], args...)
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
		if kept, err = t.lookUp(results); kept || err != nil {
			return kept, err
		}
	}
	for _, r := range readings {
		err := results.QueryRow().Scan(r.into...)
		if errors.Is(err, pgx.ErrNoRows) {
			if classified[r.name] && t.size < anySize {
				return false, errLarge // or there is none, which a look at any size will tell
			}
			return false, r.missing
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// lookUp sees what is known of the idempotency key. The lock comes before the
// look, so that nobody with the same key is between theirs and their commit.
func (t *transaction) lookUp(results pgx.BatchResults) (kept bool, err error) {
	var locked bool
	if err := results.QueryRow().Scan(&locked); err != nil {
		return false, err
	}
	if !locked {
		return false, &brokerage.Conflict{Reason: brokerage.KeyInUse, Detail: "the same request is still running"}
	}
	var hash, answer []byte
	var expires time.Time
	switch err := results.QueryRow().Scan(&hash, &answer, &expires); {
	case errors.Is(err, pgx.ErrNoRows):
		return false, nil
	case err != nil:
		return false, err
	case !expires.After(t.w.Now):
		return false, nil
	case !bytes.Equal(hash, t.w.Once.Hash[:]):
		return false, &brokerage.KeyReused{Key: t.w.Once.Key}
	}
	t.answer = answer
	return true, nil
}

// finishOnce writes and keeps the answer. What refuses the write must be known
// before the commit, since refusals are not kept: a round trip more.
func (t *transaction) finishOnce(ctx context.Context, c change) error {
	tag, err := t.conn.Exec(ctx, statements[c.name], c.args...)
	switch {
	case err != nil:
		return err
	case tag.RowsAffected() == 0 && c.missing != nil:
		return c.missing
	}
	once, answer := t.w.Once, c.answer
	if answer == nil {
		answer = []byte{}
	}
	if _, err := t.conn.Exec(ctx, statements["keep_answer"], []byte(once.Client), []byte(once.Key), once.Hash[:], answer, once.Expires); err != nil {
		return err
	}
	return t.commit(ctx)
}

func (t *transaction) commit(ctx context.Context) error {
	_, err := t.conn.Exec(ctx, "COMMIT")
	t.committing = err != nil && !isConflict(err) && !neverSent(err)
	return err
}

// rollback ends a transaction that has failed, also one whose request is over, so
// that the connection is of use to others.
func (t *transaction) rollback(ctx context.Context) {
	if t.conn.IsClosed() || t.conn.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelPatience)
	defer cancel()
	// A connection that cannot do even this is taken out of the pool.
	_, _ = t.conn.Exec(ctx, "ROLLBACK")
}

// lockOf is a number for an idempotency key. Where two keys have the same, which
// nobody will live to see, one request is told to come again.
func lockOf(once *brokerage.Once) int64 {
	h := sha256.New()
	_ = binary.Write(h, binary.BigEndian, uint64(len(once.Client))) // a hash takes everything
	h.Write([]byte(once.Client))
	h.Write([]byte(once.Key))
	return int64(binary.BigEndian.Uint64(h.Sum(nil))) //nolint:gosec // all bits count, the sign too
}

// Expired answers go in small numbers, after one was kept, and while there are
// more of them, after the next as well.
const (
	purgeEvery = time.Minute
	purgeRows  = 200
)

// purge removes answers that have expired, if it is time to. It is not part of
// the write, which is done: what it cannot do now, the next can.
func (s *Store) purge(ctx context.Context, now time.Time) {
	last := s.purged.Load()
	if now.Sub(time.Unix(last, 0)).Abs() < purgeEvery || !s.purged.CompareAndSwap(last, now.Unix()) {
		return
	}
	if tag, err := s.pool.Exec(ctx, statements["forget_answers"], now, purgeRows); err != nil || tag.RowsAffected() == purgeRows {
		s.purged.Store(0)
	}
}
