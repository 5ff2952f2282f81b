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
	ctx context.Context, readOnly bool, statements []store.ScriptStatement,
) (rows []int64, err error) {
	defer func() { err = scriptError(ctx, err) }()
	run := func(q querier) error {
		for _, statement := range statements {
			n, err := runScript(ctx, q, statement)
			if err != nil {
				return err
			}
			rows = append(rows, n)
		}
		return nil
	}
	if len(statements) == 1 {
		err = run(s.pool)
		return rows, err
	}
	options := pgx.TxOptions{}
	if readOnly {
		options.AccessMode = pgx.ReadOnly
	}
	err = pgx.BeginTxFunc(ctx, s.pool, options, func(tx pgx.Tx) error { return run(tx) })
	return rows, err
}

// runScript runs a statement. The server reads numbers from text, whatever the type of the parameter.
func runScript(ctx context.Context, q querier, statement store.ScriptStatement) (rows int64, err error) {
	args := append(make([]any, 0, 1+len(statement.Args)), pgx.QueryResultFormats{pgx.TextFormatCode})
	for _, arg := range statement.Args {
		if n, ok := arg.(int64); ok {
			arg = strconv.FormatInt(n, 10)
		}
		args = append(args, arg)
	}
	found, err := q.Query(ctx, statement.Text, args...)
	if err != nil {
		return 0, err
	}
	found.Close() // it reads all rows
	return found.CommandTag().RowsAffected(), found.Err()
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

// scriptError returns *store.ScriptRefused for the error of a statement that the server has refused.
func scriptError(ctx context.Context, err error) error {
	if code := codeOf(err); code != "" && ctx.Err() == nil && (!isTransient(err) || isConflict(err)) {
		return &store.ScriptRefused{Code: "SQLSTATE " + code, Cause: err}
	}
	return domainError(ctx, err, false)
}
