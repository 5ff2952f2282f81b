package postgres

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/store"
)

var _ store.ScriptRunner = (*Store)(nil)

// RunScript runs statements of a workload file on a connection of the pool.
func (s *Store) RunScript(
	ctx context.Context, readOnly bool, statements []store.ScriptStatement, r *store.ScriptResult,
) (err error) {
	defer func() { err = scriptError(ctx, err) }()
	if len(statements) == 1 {
		return runScript(ctx, s.pool, statements[0], r)
	}
	options := pgx.TxOptions{}
	if readOnly {
		options.AccessMode = pgx.ReadOnly
	}
	return pgx.BeginTxFunc(ctx, s.pool, options, func(tx pgx.Tx) error {
		for _, statement := range statements {
			if err := runScript(ctx, tx, statement, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// runScript runs a statement. The server reads numbers from text, whatever the type of the parameter.
func runScript(ctx context.Context, q querier, statement store.ScriptStatement, r *store.ScriptResult) error {
	args := append(make([]any, 0, 1+len(statement.Args)), pgx.QueryResultFormats{pgx.TextFormatCode})
	for _, arg := range statement.Args {
		if n, ok := arg.(int64); ok {
			arg = strconv.FormatInt(n, 10)
		}
		args = append(args, arg)
	}
	rows, err := q.Query(ctx, statement.Text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		for i, text := range rows.RawValues() {
			r.AppendColumn(i, text)
		}
		r.Text = append(r.Text, '\n')
	}
	if err := rows.Err(); err != nil {
		return err
	}
	r.Rows = append(r.Rows, rows.CommandTag().RowsAffected())
	return nil
}

// CheckScript prepares a statement.
func (s *Store) CheckScript(ctx context.Context, text string) error {
	conn, err := s.pool.Acquire(ctx)
	if err == nil {
		defer conn.Release()
		_, err = conn.Conn().Prepare(ctx, "", text)
	}
	return scriptError(ctx, err)
}

// scriptError returns the error of a statement that the server has refused as *store.ScriptRefused.
func scriptError(ctx context.Context, err error) error {
	if code := codeOf(err); code != "" && ctx.Err() == nil && (!isTransient(err) || isConflict(err)) {
		return &store.ScriptRefused{Code: "SQLSTATE " + code, Cause: err}
	}
	return domainError(ctx, err, false)
}
