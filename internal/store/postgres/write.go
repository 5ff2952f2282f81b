package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// A step is a statement of a transaction, with what its result means.
type step struct {
	name    string
	args    []any // the first is the key of its row; a document is a string, and []byte is bytea
	into    []any // where the columns of its row go; nil for a statement that returns none
	missing error // returned when it finds no row; nil: that is no error
	taken   error // returned when the key of its row exists
}

// A transaction is a write: a round trip that begins and reads, unless there is nothing to read, and one or two that
// write and commit.
type transaction struct {
	store *Store
	w     tpox.Write
	reads []step
	edit  func() ([]step, []byte, error)

	largeBytes int       // of the large document that the first attempt has met; 0 for none
	conn       *pgx.Conn // of the current attempt
	unknown    bool      // a commit was sent, and its outcome is not known
	answer     []byte
}

// write runs a transaction: the reads, which lock the document to be changed, then edit, then the steps that edit
// returns. With w.Once it also stores the answer that edit returns; a repetition returns that, and changes nothing.
// edit is called again whenever the transaction starts again.
func (s *Store) write(
	ctx context.Context, w tpox.Write, reads []step, edit func() (steps []step, answer []byte, err error),
) ([]byte, error) {
	t := &transaction{store: s, w: w, reads: reads, edit: edit}
	try := func() error {
		return s.again(ctx, t.attempt, func(err error) bool { return !t.unknown && s.mayTryAgain(err) })
	}
	err := try()
	if errors.Is(err, store.ErrLarge) { // it waits without a connection and without locks
		var leave func()
		if leave, err = s.large.Enter(ctx, t.largeBytes); err == nil {
			defer leave()
			err = try()
		}
	}
	switch {
	case errors.Is(err, errOtherOwner): // Trade looks up the owner again
		return nil, err
	case err != nil:
		return nil, domainError(ctx, err, t.unknown)
	}
	if w.Once != nil {
		s.purge(ctx, w.Once, w.Now)
	}
	return t.answer, nil
}

// change runs steps that need no reads.
func (s *Store) change(ctx context.Context, w tpox.Write, steps ...step) error {
	_, err := s.write(ctx, w, nil, func() ([]step, []byte, error) { return steps, nil, nil })
	return err
}

// errAnswered ends a transaction if an answer is already stored for its idempotency key.
var errAnswered = errors.New("answered before")

// attempt runs the transaction once.
func (t *transaction) attempt(ctx context.Context) (err error) {
	t.unknown = false
	var steps []step
	if t.readsNothing() {
		if steps, err = t.plan(); err != nil {
			return err
		}
	}
	first := slices.Concat(t.reads, steps, []step{{}})[0] // its key decides the node
	return t.store.poolFor(first.name, first.args).AcquireFunc(ctx, func(conn *pgxpool.Conn) (err error) {
		t.conn = conn.Conn()
		if !t.readsNothing() {
			if err = t.begin(ctx); err == nil {
				steps, err = t.plan()
			}
		}
		if err == nil {
			err = t.commit(ctx, steps)
		}
		if err != nil {
			t.rollback(ctx)
		}
		if errors.Is(err, errAnswered) {
			if err = nil; t.wantsToken() {
				*t.w.Token = t.store.replicas.tokenFrom(t.conn.QueryRow(ctx, statements["write_position"]))
			}
		}
		return err
	})
}

// plan calls edit. The first time that a large document would be written, the error is store.ErrLarge.
func (t *transaction) plan() (steps []step, err error) {
	if steps, t.answer, err = t.edit(); err != nil || t.largeBytes > 0 {
		return steps, err
	}
	for _, c := range steps {
		for _, arg := range c.args {
			if doc, ok := arg.(string); ok && len(doc) > store.SmallBytes {
				t.largeBytes, err = max(t.largeBytes, len(doc)), store.ErrLarge
			}
		}
	}
	return steps, err
}

// readsNothing reports whether the transaction only writes.
func (t *transaction) readsNothing() bool { return len(t.reads) == 0 && t.w.Once == nil }

// wantsToken reports whether the write returns a token. commit reads it after COMMIT, in the same round trip.
func (t *transaction) wantsToken() bool { return t.w.Token != nil && t.store.replicas != nil }

// begin begins the transaction and runs its reads, in one round trip. If an answer is stored for the idempotency key,
// it sets t.answer and returns errAnswered.
func (t *transaction) begin(ctx context.Context) error {
	var b pgx.Batch
	b.Queue("BEGIN")
	if once := t.w.Once; once != nil {
		slot := slotOf(once)
		t.hold(&b, "lock_key", slot)
		// From here to the commit, the lock keeps out other requests with the key.
		b.Queue(t.store.sql("lock_key"), slot, lockOf(once)).QueryRow(func(row pgx.Row) error {
			var locked bool
			if err := row.Scan(&locked); err != nil || locked {
				return err
			}
			return &tpox.Conflict{Reason: tpox.KeyInUse, Detail: "a request with this idempotency key is still running"}
		})
		b.Queue(t.store.sql("get_answer"), slot, []byte(once.Client), []byte(once.Key)).QueryRow(t.readAnswer)
	}
	for _, q := range t.reads {
		t.hold(&b, q.name, q.args[0])
		b.Queue(t.store.sql(q.name), q.args...).QueryRow(func(row pgx.Row) error {
			err := row.Scan(q.into...)
			if noRows(err) {
				return q.missing
			}
			return err
		})
	}
	return t.conn.SendBatch(ctx, &b).Close()
}

// commit runs the steps and commits, in one round trip. It takes two if the results of the steps decide whether to
// commit: with an idempotency key, and if one of several steps may find nothing.
func (t *transaction) commit(ctx context.Context, steps []step) error {
	wait := t.w.Once != nil
	if wait {
		steps = append(steps, t.keepAnswer())
	}
	var b pgx.Batch
	if t.readsNothing() {
		b.Queue("BEGIN")
	}
	var current step
	var missing error // of the first step that has found nothing
	for _, c := range steps {
		wait = wait || c.missing != nil && len(steps)+len(t.reads) > 1
		b.Queue(t.store.sql(c.name), c.args...).Fn = func(results pgx.BatchResults) error {
			current = c
			tag, err := results.Exec()
			if err == nil && tag.RowsAffected() == 0 {
				missing = cmp.Or(missing, c.missing)
			}
			return err
		}
	}
	if wait {
		if err := t.conn.SendBatch(ctx, &b).Close(); err != nil {
			return current.refusal(err)
		}
		if missing != nil {
			return missing
		}
		b = pgx.Batch{}
	}
	var committing, committed bool
	b.Queue("COMMIT").Fn = func(results pgx.BatchResults) error {
		committing = true
		_, err := results.Exec()
		committed = err == nil
		return err
	}
	var token tpox.Token
	if t.wantsToken() {
		b.Queue(statements["write_position"]).QueryRow(func(row pgx.Row) error {
			token = t.store.replicas.tokenFrom(row)
			return nil
		})
	}
	err := t.conn.SendBatch(ctx, &b).Close()
	if !committed {
		t.unknown = committing && !isConflict(err) || codeOf(err) == "" && !neverSent(err)
		return current.refusal(err)
	}
	if t.wantsToken() && missing == nil {
		*t.w.Token = token
	}
	return missing
}

// refusal returns what an error of the statement means, by its code: a cluster does not name the constraint.
func (c step) refusal(err error) error {
	if c.taken != nil && codeOf(err) == uniqueViolation {
		return c.taken
	}
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
