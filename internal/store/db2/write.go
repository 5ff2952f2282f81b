package db2

import (
	"context"
	"database/sql"

	"brokerage/internal/brokerage"
)

// tx is a transaction that writes. Its statements wait for locks as long as the
// session's lock time-out, and no longer; its context is asked between them and
// before the commit (see driver.go).
type tx struct {
	*sql.Tx
	ctx context.Context //nolint:containedctx // it lives as long as the call that the context is of
	// again is set after an attempt of which nobody knows whether it was committed.
	again bool
}

func (t *tx) exec(name string, args ...any) (changed bool, err error) {
	if err := t.ctx.Err(); err != nil {
		return false, err
	}
	result, err := t.ExecContext(t.ctx, statements[name], args...)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

func (t *tx) document(name string, args ...any) ([]byte, error) {
	return document(t.ctx, t, name, args...)
}

// work is what a transaction does, and what it answers.
type work func(t *tx) (answer []byte, err error)

// repeatable says of a piece of work that it can be done again after an attempt
// whose commit was not acknowledged, because it sees itself, by tx.again, whether
// that was committed: what it inserted is there, or what it deleted is not. The
// unique index and the locks make it wait until the server has decided.
type repeatable bool

// write does work in a transaction, once if w says so; again where others were in
// the way, or the connection was lost before the commit. If it was lost in the
// commit, it is done again only if that tells what became of it, which an
// idempotency key always does; else the answer is that nobody knows.
func (s *Store) write(ctx context.Context, w brokerage.Write, can repeatable, do work) (answer []byte, err error) {
	unknown := false
	for range s.attempts(ctx) {
		t := tx{ctx: ctx, again: unknown}
		var committing bool
		answer, committing, err = s.attempt(&t, w, do)
		if err == nil {
			if w.Once != nil {
				s.purge(ctx, w.Now)
			}
			return answer, nil
		}
		if brokerage.IsOwn(err) {
			return nil, err
		}
		unknown = unknown || committing
		if !isTransient(err) || unknown && !bool(can) && w.Once == nil {
			break
		}
	}
	if err == nil {
		err = ctx.Err() // there was no attempt
	}
	return nil, domainError(ctx, err, unknown)
}

// attempt is one transaction. Committing tells that the commit was sent, and it is
// not known what became of it.
func (s *Store) attempt(t *tx, w brokerage.Write, do work) (answer []byte, committing bool, err error) {
	if t.Tx, err = s.db.BeginTx(t.ctx, nil); err != nil {
		return nil, false, err
	}
	// After a commit this does nothing; what fails to roll back costs its
	// connection, and with it the transaction.
	defer func() { _ = t.Rollback() }()
	if w.Once != nil {
		if kept, err := t.claim(w); kept != nil || err != nil {
			return kept, false, err
		}
	}
	if answer, err = do(t); err != nil {
		return nil, false, err
	}
	if w.Once != nil {
		if err := t.keep(w.Once, answer); err != nil {
			return nil, false, err
		}
	}
	if err := t.ctx.Err(); err != nil {
		return nil, false, err
	}
	err = t.Commit()
	return answer, err != nil && isLost(err), err
}
