package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net"
	"path"
	"strings"
)

// ReadStatements returns the texts of the files *.sql in a folder, without the comments before the statement, by their
// names without the extension. It is for files that are embedded, and panics when one cannot be read.
func ReadStatements(files fs.FS, folder string) map[string]string {
	names, err := fs.Glob(files, folder+"/*.sql")
	if err != nil {
		panic(err)
	}
	texts := make(map[string]string, len(names))
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err)
		}
		text := strings.TrimSpace(string(b))
		for strings.HasPrefix(text, "--") {
			_, text, _ = strings.Cut(text, "\n")
		}
		texts[strings.TrimSuffix(path.Base(name), ".sql")] = text
	}
	return texts
}

// A Trace is called when a statement begins, with the context of the transaction and the name of the statement, never
// its parameters, which clients have sent. server is the address of the server that runs it; nil if there is none, or
// it is not known. The returned function is called when the statement ends, with its error or nil. Trace must be safe
// for concurrent use. It may be nil.
type Trace func(ctx context.Context, statement string, server net.Addr) (end func(error))

// Statement calls t, or does nothing if t is nil.
func (t Trace) Statement(ctx context.Context, name string, server net.Addr) (end func(error)) {
	if t == nil {
		return func(error) {}
	}
	return t(ctx, name, server)
}

// ScriptStatement is a statement with its parameters, which are texts and numbers (int64). The text has the parameter
// markers of the engine.
type ScriptStatement struct {
	Text string
	Args []any
}

// ScriptRunner is a store that runs statements in the language of its engine.
type ScriptRunner interface {
	// RunScript runs statements in one transaction, read-only if asked, and returns for each how many rows it returned, or
	// else changed. If the database refuses a statement, the transaction is rolled back and the error is *ScriptRefused.
	// Other errors are those of every operation of a store.
	RunScript(ctx context.Context, readOnly bool, statements []ScriptStatement) (rows []int64, err error)
	// CheckScript returns an error if the database refuses to prepare a statement.
	CheckScript(ctx context.Context, text string) error
}

// ScriptRefused is the error of a statement that the database has refused.
type ScriptRefused struct {
	Code  string // in the engine's words, such as "SQLSTATE 23505"
	Cause error
}

func (e *ScriptRefused) Error() string { return e.Cause.Error() }
func (e *ScriptRefused) Unwrap() error { return e.Cause }

// A scriptQuerier is a connection or a transaction of database/sql.
type scriptQuerier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// RunScript runs statements one after another.
func RunScript(ctx context.Context, q scriptQuerier, statements []ScriptStatement) (rows []int64, err error) {
	for _, s := range statements {
		n, err := runStatement(ctx, q, s)
		if err != nil {
			return nil, err
		}
		rows = append(rows, n)
	}
	return rows, nil
}

// runStatement runs a statement. In database/sql, only Exec reports how many rows were changed, and it reads no rows.
func runStatement(ctx context.Context, q scriptQuerier, s ScriptStatement) (rows int64, err error) {
	if !returnsRows(s.Text) {
		result, err := q.ExecContext(ctx, s.Text, s.Args...)
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	}
	found, err := q.QueryContext(ctx, s.Text, s.Args...)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	for found.Next() { // the driver reads the row
		rows++
	}
	return rows, found.Err()
}

// returnsRows reports whether a statement returns rows, by its first word or its RETURNING.
func returnsRows(text string) bool {
	upper := strings.ToUpper(strings.TrimLeft(text, " \t\r\n("))
	for strings.HasPrefix(upper, "--") {
		_, upper, _ = strings.Cut(upper, "\n")
		upper = strings.TrimLeft(upper, " \t\r\n(")
	}
	for _, word := range []string{"SELECT", "WITH", "VALUES", "XQUERY", "EXPLAIN", "PRAGMA"} {
		if strings.HasPrefix(upper, word) {
			return true
		}
	}
	return strings.Contains(upper, " RETURNING ") || strings.Contains(upper, "\nRETURNING ")
}
