package db2

import (
	"context"

	"brokerage/internal/store"
)

var _ store.ScriptRunner = (*Store)(nil)

// RunScript runs statements of a workload file.
func (s *Store) RunScript(
	ctx context.Context, _ bool, statements []store.ScriptStatement,
) (rows []int64, err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, scriptError(ctx, err)
	}
	defer func() { _ = tx.Rollback() }() // after a commit this does nothing
	if rows, err = store.RunScript(ctx, tx, statements); err == nil {
		err = tx.Commit()
	}
	return rows, scriptError(ctx, err)
}

// CheckScript prepares a statement.
func (s *Store) CheckScript(ctx context.Context, text string) error {
	statement, err := s.db.PrepareContext(ctx, text)
	if err == nil {
		err = statement.Close() //nolint:sqlclosecheck // nothing is done with it
	}
	return scriptError(ctx, err)
}

// scriptError returns *store.ScriptRefused if the server has refused a statement, or else the error of domainError.
func scriptError(ctx context.Context, err error) error {
	if e := serverErrorOf(err); e.State != "" && ctx.Err() == nil && (!isTransient(err) || isConflict(err)) {
		return &store.ScriptRefused{Code: "SQLSTATE " + e.State, Cause: err}
	}
	return domainError(ctx, err, false)
}
