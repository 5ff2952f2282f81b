package db2

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// A tx is a transaction that writes. Its statements wait for locks no longer than the session's lock timeout; its
// context is checked between them and before the commit (see driver.go).
type tx struct {
	*sql.Tx
	ctx context.Context //nolint:containedctx // it lives as long as the call that the context is of
	// maybeDone is set after an attempt that may have been committed.
	maybeDone bool
}

// exec runs a statement and reports whether it has changed a row.
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

// A work runs the statements of a transaction and returns the answer.
type work func(t *tx) (answer []byte, err error)

// afterUnknown says what write does after a commit whose outcome is unknown, unless an idempotency key shows the
// outcome.
type afterUnknown bool

const (
	// failUnknown returns *tpox.Unavailable with Unknown set.
	failUnknown afterUnknown = false
	// retryUnknown runs the work again, with tx.maybeDone set. Unless that is harmless, the work or its caller must check
	// whether the earlier attempt was committed: what that attempt inserted exists, or what it deleted does not. The
	// unique index and the locks make the work wait until the server has decided.
	retryUnknown afterUnknown = true
)

// write runs the function do in a transaction on a connection for requests. If w has an idempotency key, the changes
// of do are made only once. write retries after a conflict with other transactions and after a connection that was lost
// before the commit. The argument unknown says what write does after a commit with an unknown outcome.
func (s *Store) write(ctx context.Context, w tpox.Write, unknown afterUnknown, do work) (answer []byte, err error) {
	return s.writeOn(ctx, s.db, w, unknown, do)
}

// writeOn is write on connections of the given pool.
func (s *Store) writeOn(
	ctx context.Context, db *sql.DB, w tpox.Write, unknown afterUnknown, do work,
) (answer []byte, err error) {
	maybeDone := false
	for range store.Attempts(ctx, retryTimeout, &s.retries) {
		t := tx{ctx: ctx, maybeDone: maybeDone}
		var lostCommit bool
		answer, lostCommit, err = attempt(&t, db, w, do)
		if err == nil {
			if w.Once != nil {
				s.purge(ctx, w.Now)
			}
			return answer, nil
		}
		if tpox.IsDomainError(err) {
			return nil, err
		}
		maybeDone = maybeDone || lostCommit
		if !isTransient(err) || maybeDone && unknown == failUnknown && w.Once == nil {
			break
		}
		s.dropIdle(db, err)
	}
	if err == nil {
		err = ctx.Err() // there was no attempt
	}
	return nil, domainError(ctx, err, maybeDone)
}

// attempt runs one transaction. lostCommit reports that the commit failed and its outcome is unknown.
func attempt(t *tx, db *sql.DB, w tpox.Write, do work) (answer []byte, lostCommit bool, err error) {
	if t.Tx, err = db.BeginTx(t.ctx, nil); err != nil {
		return nil, false, err
	}
	// After a commit this does nothing. A connection that fails to roll back is closed, which ends its transaction.
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

// remove deletes a document, or returns the error none if the document does not exist. A statement with several
// parameters gets the id for each. A document that is gone after an attempt with an unknown outcome counts as deleted.
func (s *Store) remove(ctx context.Context, w tpox.Write, name string, id tpox.ID, none error) error {
	ids := slices.Repeat([]any{id.String()}, strings.Count(statements[name], "?"))
	_, err := s.write(ctx, w, retryUnknown, func(t *tx) ([]byte, error) {
		changed, err := t.exec(name, ids...)
		if err == nil && !changed && !t.maybeDone {
			err = none
		}
		return nil, err
	})
	return err
}

// asIs returns the name of the statement that writes a customer or a security, with or without validation.
func asIs(name string, validate bool) string {
	if validate {
		return name
	}
	return name + "_as_is"
}

// replace replaces the document with the given key. If match is not nil, it must allow the stored version; the
// document is locked before it is read, so that of two requests with the same version only one replaces it.
func (t *tx) replace(what, key string, doc []byte, validate bool, match tpox.Match) error {
	none := &tpox.NotFound{What: what, Key: key}
	if match != nil {
		var one int64
		found, err := row(t.ctx, t, "lock_"+what, []any{key}, []any{&one})
		if err != nil || !found {
			return cmp.Or[error](err, none)
		}
		stored, err := t.document("get_"+what, key)
		if err != nil {
			return err
		}
		if !match.Holds(stored) {
			return &tpox.Stale{}
		}
	}
	changed, err := t.exec(asIs("replace_"+what, validate), doc, key)
	if err == nil && !changed {
		err = none
	}
	return err
}
