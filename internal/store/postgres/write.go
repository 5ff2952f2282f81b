package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"brokerage/internal/tpox"
)

// A query reads what a transaction has to know before it writes.
type query struct {
	statement string
	args      []any
	into      []any // where the columns of its row go
	// collect takes the rows in place of into, for a statement that returns one for each of several documents. It returns
	// pgx.ErrNoRows when one is missing.
	collect  func(pgx.Rows) error
	notFound error // returned when a row is missing; nil leaves that to edit
}

func (q query) read(results pgx.BatchResults) error {
	if q.collect == nil {
		return results.QueryRow().Scan(q.into...)
	}
	rows, _ := results.Query() // its error is that of the rows
	return q.collect(rows)
}

func lockCustomer(id tpox.ID, doc *[]byte) []query {
	return []query{{"lock_customer", []any{id}, []any{doc}, nil, tpox.NoCustomer(id)}}
}

func lockSecurity(symbol string, doc *[]byte) []query {
	return []query{{"lock_security", []any{symbol}, []any{doc}, nil, tpox.NoSecurity(symbol)}}
}

// A change is a statement that writes one document; triggers update the rows that are derived from it.
type change struct {
	statement string
	args      []any
	notFound  error // returned when the statement finds no row; nil if it must find one, because the row is locked
	taken     error // returned when a key of the row exists; nil leaves that to the caller
	after     bool  // a query has written, too: if this finds no row, nothing may be committed
	answer    []byte
	more      []change // to other documents, all of which the transaction has locked
}

// tooLarge reports whether a document is larger than size.
func (c change) tooLarge(size int) bool {
	return size < anySize &&
		(isLarge(c.args) || slices.ContainsFunc(c.more, func(c change) bool { return c.tooLarge(size) }))
}

// A transaction is a write: a round trip that begins and reads, and one that writes and commits, or a single statement
// where it has nothing to read.
type transaction struct {
	store   *Store
	w       tpox.Write
	queries []query
	size    int // the largest document in bytes

	conn    *pgx.Conn // of the current attempt
	unknown bool      // a commit was sent, and its outcome is not known
	answer  []byte
}

// write runs a transaction: it runs the queries, calls edit, and makes the change that edit returns. With w.Once the
// change is made only once. The first query locks the documents to be changed. If there are several, one statement
// locks them all, in ascending order of their keys (ORDER BY … FOR UPDATE), so that no two transactions wait for each
// other. edit is called again whenever the transaction starts again.
func (s *Store) write(
	ctx context.Context, w tpox.Write, queries []query, edit func() (change, error),
) (answer []byte, err error) {
	t := &transaction{store: s, w: w, queries: queries, size: largeBytes}
	try := func(ctx context.Context) error { return t.attempt(ctx, edit) }
	err = s.again(ctx, try, t.mayTryAgain)
	if errors.Is(err, errLarge) {
		t.size = anySize
		err = s.large.do(ctx, func() error { return s.again(ctx, try, t.mayTryAgain) })
	}
	if err != nil {
		return nil, domainError(ctx, err, t.unknown)
	}
	if w.Once != nil {
		s.purge(ctx, w.Once, w.Now)
	}
	return t.answer, nil
}

// change makes a change that depends on nothing.
func (s *Store) change(ctx context.Context, w tpox.Write, c change) error {
	_, err := s.write(ctx, w, nil, func() (change, error) { return c, nil })
	return err
}

// replace makes a change of a document if match allows its stored version, which lock reads into stored. A nil match
// allows every version; then a change of a single row reads nothing.
func (s *Store) replace(
	ctx context.Context, w tpox.Write, match tpox.Match, lock []query, stored *[]byte, c change,
) error {
	if match == nil && c.more == nil {
		return s.change(ctx, w, c)
	}
	_, err := s.write(ctx, w, lock, func() (change, error) {
		if !match.Holds(*stored) {
			return change{}, &tpox.Stale{}
		}
		return c, nil
	})
	return err
}

func (t *transaction) mayTryAgain(err error) bool { return !t.unknown && t.store.mayTryAgain(err) }

// attempt runs the transaction once. For a document of more than t.size bytes it returns errLarge, with nothing
// changed.
func (t *transaction) attempt(ctx context.Context, edit func() (change, error)) error {
	t.unknown = false
	var first query // whose node is the entry
	switch {
	case len(t.queries) > 0:
		first = t.queries[0]
	case t.w.Once == nil && !t.wantsToken():
		c, err := t.change(edit)
		if err != nil || len(c.more) == 0 {
			return t.single(ctx, c, err)
		}
		first = query{statement: c.statement, args: c.args}
	}
	return t.store.poolFor(first.statement, first.args).AcquireFunc(ctx, func(conn *pgxpool.Conn) (err error) {
		t.conn = conn.Conn()
		answered := false
		if !t.readsNothing() {
			answered, err = t.begin(ctx)
		}
		if err == nil && !answered {
			err = t.commit(ctx, edit)
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

// readsNothing reports whether the transaction is only a change.
func (t *transaction) readsNothing() bool { return len(t.queries) == 0 && t.w.Once == nil }

// wantsToken reports whether the write returns a token. A token is taken in the round trip of the commit, and behind
// it: a transaction of a single statement is then given a BEGIN and a COMMIT.
func (t *transaction) wantsToken() bool { return t.w.Token != nil && t.store.replicas != nil }

// change returns what edit changes.
func (t *transaction) change(edit func() (change, error)) (change, error) {
	c, err := edit()
	if err == nil && c.tooLarge(t.size) {
		err = errLarge
	}
	t.answer = c.answer
	return c, err
}

// single makes a change by one statement that commits by itself, in one round trip.
func (t *transaction) single(ctx context.Context, c change, err error) error {
	if err != nil {
		return err
	}
	tag, err := t.store.poolFor(c.statement, c.args).Exec(ctx, t.store.sql(c.statement), c.args...)
	if err == nil && tag.RowsAffected() == 0 && c.notFound != nil {
		return c.notFound
	}
	// The commit comes after the statement is complete, so an error of the server before that means that there was none.
	// In a cluster the node that commits is another one, whose answer may be lost.
	refused := codeOf(err) != "" && tag.String() == "" && !(t.store.layoutName == layoutCitus && isUncertain(err))
	t.unknown = err != nil && !refused && !neverSent(err)
	return c.refusal(err)
}

// begin begins the transaction and runs the queries, in one round trip. answered reports that an answer is stored for
// the idempotency key; t.answer then holds it.
func (t *transaction) begin(ctx context.Context) (answered bool, err error) {
	var b pgx.Batch
	b.Queue("BEGIN")
	if once := t.w.Once; once != nil {
		t.hold(&b, "lock_key", []any{t.store.slot(once)})
		b.Queue(t.store.sql("lock_key"), t.store.inSlot(once, lockOf(once))...)
		b.Queue(t.store.sql("get_answer"), t.store.inSlot(once, []byte(once.Client), []byte(once.Key))...)
	}
	for _, q := range t.queries {
		t.hold(&b, q.statement, q.args)
		args := q.args
		if classified[q.statement] {
			args = append(slices.Clip(args), t.size)
		}
		b.Queue(t.store.sql(q.statement), args...)
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
	for _, q := range t.queries {
		if err := t.held(results, q.statement); err != nil {
			return false, err
		}
		switch err := q.read(results); {
		case noRows(err) && classified[q.statement] && t.size < anySize:
			return false, errLarge // or the row does not exist, as a query for any size will show
		case noRows(err) && q.notFound != nil:
			return false, q.notFound
		case err != nil && !noRows(err):
			return false, err
		}
	}
	return false, nil
}

// commit makes the change and commits, in one round trip. It takes two where nothing may be committed before it is
// known what the statements have found: with an idempotency key, and for changes of several rows of which one may be
// missing.
func (t *transaction) commit(ctx context.Context, edit func() (change, error)) error {
	c, err := t.change(edit)
	if err != nil {
		return err
	}
	changes := c.append(nil)
	mayBeMissing := func(c change) bool { return c.notFound != nil }
	wait := t.w.Once != nil || c.after || len(changes) > 1 && slices.ContainsFunc(changes, mayBeMissing)
	if t.w.Once != nil {
		changes = append(changes, t.keepAnswer())
	}
	var b pgx.Batch
	if t.readsNothing() {
		b.Queue("BEGIN")
		changes = slices.Insert(changes, 0, change{})
	}
	for _, c := range changes[b.Len():] {
		b.Queue(t.store.sql(c.statement), c.args...)
	}
	if wait {
		if err := t.run(ctx, &b, changes); err != nil {
			return err
		}
		b, changes = pgx.Batch{}, nil
	}
	b.Queue("COMMIT")
	if t.wantsToken() {
		b.Queue(statements["write_position"])
	}
	results := t.conn.SendBatch(ctx, &b)
	notFound, err := t.count(results, changes)
	if err != nil {
		_ = results.Close() // it returns the same error
		return err
	}
	_, err = results.Exec()
	t.unknown = err != nil && !isConflict(err)
	if err == nil && t.wantsToken() {
		token := t.store.replicas.tokenFrom(results.QueryRow())
		_ = results.Close() // the write is committed, whatever happened to the connection
		if notFound == nil {
			*t.w.Token = token
		}
		return notFound
	}
	if closed := results.Close(); err == nil && closed != nil {
		t.unknown, err = true, closed
	}
	if err == nil {
		err = notFound
	}
	return err
}

// run makes changes without a COMMIT.
func (t *transaction) run(ctx context.Context, b *pgx.Batch, changes []change) error {
	results := t.conn.SendBatch(ctx, b)
	notFound, err := t.count(results, changes)
	t.unknown = false // no COMMIT was sent
	if closed := results.Close(); err == nil {
		err = cmp.Or(closed, notFound)
	}
	return err
}

// count reads the results of changes. It returns the notFound of one that has found nothing, and the error of one that
// has failed: the server does not run the rest of the batch then.
func (t *transaction) count(results pgx.BatchResults, changes []change) (notFound, err error) {
	for _, c := range changes {
		tag, err := results.Exec()
		if err != nil {
			t.unknown = codeOf(err) == "" && !neverSent(err)
			return nil, c.refusal(err)
		}
		if tag.RowsAffected() == 0 {
			notFound = cmp.Or(notFound, c.notFound)
		}
	}
	return notFound, nil
}

// append appends the change and those to other documents.
func (c change) append(all []change) []change {
	all = append(all, c)
	for _, other := range c.more {
		all = other.append(all)
	}
	return all
}

// refusal returns what an error of the statement means.
func (c change) refusal(err error) error {
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
