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
	args    []any // the first is the key of its row
	into    []any // where the columns of its row go; nil for a statement that returns none
	missing error // returned when it finds no row; nil leaves that to the caller
	taken   error // returned when the key of its row exists
}

// A transaction is a write: a round trip that begins and reads, and one that writes and commits, or only the second
// where it has nothing to read.
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

// write runs a transaction: it runs reads, which lock the document to be changed, calls edit, and runs the steps that
// edit returns, with the answer to keep. With w.Once this happens only once. edit is called again whenever the
// transaction starts again.
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
	case errors.Is(err, errOtherOwner): // which Trade looks up again
		return nil, err
	case err != nil:
		return nil, domainError(ctx, err, t.unknown)
	}
	if w.Once != nil {
		s.purge(ctx, w.Once, w.Now)
	}
	return t.answer, nil
}

// change runs steps that depend on nothing.
func (s *Store) change(ctx context.Context, w tpox.Write, steps ...step) error {
	_, err := s.write(ctx, w, nil, func() ([]step, []byte, error) { return steps, nil, nil })
	return err
}

// attempt runs the transaction once.
func (t *transaction) attempt(ctx context.Context) (err error) {
	t.unknown = false
	var steps []step
	if t.readsNothing() {
		if steps, err = t.plan(); err != nil {
			return err
		}
		if len(steps) == 1 && !t.wantsToken() {
			return t.single(ctx, steps[0])
		}
	}
	first := slices.Concat(t.reads, steps, []step{{}})[0] // its node is the entry
	return t.store.poolFor(first.name, first.args).AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		t.conn = conn.Conn()
		answered, err := false, error(nil)
		if !t.readsNothing() {
			if answered, err = t.begin(ctx); err == nil && !answered {
				steps, err = t.plan()
			}
		}
		if err == nil && !answered {
			err = t.commit(ctx, steps)
		}
		if err != nil || answered { // which has only read
			t.rollback(ctx)
		}
		if answered && t.wantsToken() {
			*t.w.Token = t.store.replicas.tokenFrom(t.conn.QueryRow(ctx, statements["write_position"]))
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
			if doc, ok := arg.([]byte); ok && len(doc) > store.SmallBytes {
				t.largeBytes, err = max(t.largeBytes, len(doc)), store.ErrLarge
			}
		}
	}
	return steps, err
}

// readsNothing reports whether the transaction only writes.
func (t *transaction) readsNothing() bool { return len(t.reads) == 0 && t.w.Once == nil }

// wantsToken reports whether the write returns a token. A token is taken in the round trip of the commit, and behind
// it: a transaction of a single statement is then given a BEGIN and a COMMIT.
func (t *transaction) wantsToken() bool { return t.w.Token != nil && t.store.replicas != nil }

// single runs a statement that commits by itself, in one round trip.
func (t *transaction) single(ctx context.Context, c step) error {
	tag, err := t.store.poolFor(c.name, c.args).Exec(ctx, t.store.sql(c.name), c.args...)
	if err == nil && tag.RowsAffected() == 0 {
		return c.missing
	}
	// The commit comes after the statement is complete, so an error of the server before that means that there was none.
	// In a cluster the node that commits is another one, whose answer may be lost.
	refused := codeOf(err) != "" && tag.String() == "" && !(t.store.distributed && isUncertain(err))
	t.unknown = err != nil && !refused && !neverSent(err)
	return c.refusal(err)
}

// begin begins the transaction and runs its reads, in one round trip. answered reports that an answer is stored for the
// idempotency key; t.answer then holds it.
func (t *transaction) begin(ctx context.Context) (answered bool, err error) {
	var b pgx.Batch
	b.Queue("BEGIN")
	if once := t.w.Once; once != nil {
		slot := slotOf(once)
		t.hold(&b, "lock_key", slot)
		b.Queue(t.store.sql("lock_key"), slot, lockOf(once))
		b.Queue(t.store.sql("get_answer"), slot, []byte(once.Client), []byte(once.Key))
	}
	for _, q := range t.reads {
		t.hold(&b, q.name, q.args[0])
		b.Queue(t.store.sql(q.name), q.args...)
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
		if err = t.held(results, "lock_key"); err == nil {
			answered, err = t.readAnswer(results)
		}
		if answered || err != nil {
			return answered, err
		}
	}
	for _, q := range t.reads {
		if err := t.held(results, q.name); err != nil {
			return false, err
		}
		if err := results.QueryRow().Scan(q.into...); noRows(err) {
			return false, q.missing
		} else if err != nil {
			return false, err
		}
	}
	return false, nil
}

// commit runs the steps and commits, in one round trip. It takes two where nothing may be committed before it is known
// what the steps have found: with an idempotency key, and where one of several may find nothing.
func (t *transaction) commit(ctx context.Context, steps []step) error {
	mayBeMissing := slices.ContainsFunc(steps, func(c step) bool { return c.missing != nil })
	wait := t.w.Once != nil || mayBeMissing && len(steps)+len(t.reads) > 1
	if t.w.Once != nil {
		steps = append(steps, t.keepAnswer())
	}
	var b pgx.Batch
	if t.readsNothing() {
		b.Queue("BEGIN")
		steps = slices.Insert(slices.Clone(steps), 0, step{}) // the result of BEGIN
	}
	for _, c := range steps[b.Len():] {
		b.Queue(t.store.sql(c.name), c.args...)
	}
	if wait {
		if err := t.run(ctx, &b, steps); err != nil {
			return err
		}
		b, steps = pgx.Batch{}, nil
	}
	b.Queue("COMMIT")
	if t.wantsToken() {
		b.Queue(statements["write_position"])
	}
	results := t.conn.SendBatch(ctx, &b)
	missing, err := t.count(results, steps)
	if err != nil {
		_ = results.Close() // it returns the same error
		return err
	}
	_, err = results.Exec()
	t.unknown = err != nil && !isConflict(err)
	if err == nil && t.wantsToken() {
		token := t.store.replicas.tokenFrom(results.QueryRow())
		_ = results.Close() // the write is committed, whatever happened to the connection
		if missing == nil {
			*t.w.Token = token
		}
		return missing
	}
	if closed := results.Close(); err == nil && closed != nil {
		t.unknown, err = true, closed
	}
	return cmp.Or(err, missing)
}

// run runs steps without a COMMIT.
func (t *transaction) run(ctx context.Context, b *pgx.Batch, steps []step) error {
	results := t.conn.SendBatch(ctx, b)
	missing, err := t.count(results, steps)
	t.unknown = false // no COMMIT was sent
	if closed := results.Close(); err == nil {
		err = cmp.Or(closed, missing)
	}
	return err
}

// count reads the results of steps. It returns the error of one that has found nothing, and of one that has failed: the
// server does not run the rest of the batch then.
func (t *transaction) count(results pgx.BatchResults, steps []step) (missing, err error) {
	for _, c := range steps {
		tag, err := results.Exec()
		if err != nil {
			t.unknown = codeOf(err) == "" && !neverSent(err)
			return nil, c.refusal(err)
		}
		if tag.RowsAffected() == 0 {
			missing = cmp.Or(missing, c.missing)
		}
	}
	return missing, nil
}

// refusal returns what an error of the statement means. A cluster does not name the constraint.
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
