package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

var _ store.ScriptRunner = (*Store)(nil)

// RunScript runs statements of a workload file: those that only read on a connection for reading, others one
// transaction after another on the writer's.
func (s *Store) RunScript(
	ctx context.Context, readOnly bool, statements []store.ScriptStatement, r *store.ScriptResult,
) (err error) {
	if readOnly {
		tx, err := s.reading.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return scriptError(err)
		}
		return scriptError(errors.Join(store.RunScript(ctx, tx, statements, r), tx.Rollback()))
	}
	err = s.writer.enqueue(&job{ctx: ctx, exclusive: func(conn *sql.Conn) (err error) {
		ctx := context.WithoutCancel(ctx) // an interrupt would end other transactions, too
		tx, err := conn.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := store.RunScript(ctx, tx, statements, r); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		return tx.Commit()
	}})
	return scriptError(err)
}

// CheckScript prepares a statement, and returns what SQLite refuses in it.
func (s *Store) CheckScript(ctx context.Context, text string) error {
	statement, err := s.reading.PrepareContext(ctx, text)
	if err != nil {
		return scriptError(err)
	}
	return statement.Close() //nolint:sqlclosecheck // nothing runs in between
}

// scriptError returns an error of SQLite as *store.ScriptRefused.
func scriptError(err error) error {
	if failed, ok := errors.AsType[*sqlite.Error](err); ok && !tpox.IsDomainError(err) && !isDamage(err) {
		return &store.ScriptRefused{Code: fmt.Sprintf("SQLite %d", failed.Code()), Cause: err}
	}
	return domainError(err)
}
