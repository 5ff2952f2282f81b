package db2

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"brokerage/internal/store/trace"
)

// The faults of go_ibm_db v0.5.4 (https://github.com/ibmdb/go_ibm_db), and the ways around them. All of it is in this
// file, between database/sql and the driver, so that it can go when the driver no longer needs it:
//
//   - A context does not cancel a call. The driver checks it after the call, and then reports as failed what was done
//     (issues 90, 182). A query whose context expired leaks its statement's handle. So the driver gets a context that
//     never expires, and callers check theirs between statements.
//   - The driver takes text bound as []byte for UTF-16 and stores garbage (param.go).
//   - BeginTx fails for every isolation level: statements say WITH RS where they need it.
//   - After a failed commit the connection stays in autocommit-off mode (tx.go returns before it resets that): it must
//     not return to the pool.
//   - The driver describes a statement each time it prepares it, which costs a round trip: each connection keeps its
//     prepared statements.
//   - A value of exactly 65,535 bytes, modulo 65,536, reads as NULL (an int16 in column.go), and one longer than its
//     declared size is cut without an error (issue 222 says what memory a larger size costs). See documents.
//   - Errors hold ODBC's SQLSTATE, which is not always Db2's. See serverError.
//   - Prepare ignores an error of SQLDescribeParam (param.go), a lost connection too: IBM's client has connected again
//     by then, so that the transaction's earlier statements are lost, and its later ones are committed. See Prepare.

// A connector opens connections and wraps them.
type connector struct {
	driver.Connector

	session []string // statements that each new connection runs first
	trace   trace.Begin
}

func (c connector) Connect(context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(context.Background())
	if err != nil {
		return nil, diagnosed(err)
	}
	opened := &conn{Conn: inner, trace: c.trace, prepared: make(map[string]driver.Stmt)}
	for _, text := range c.session {
		s, err := opened.Prepare(text)
		if err == nil {
			_, err = s.Exec(nil) //nolint:staticcheck // see stmt.Exec
		}
		if err != nil {
			_ = opened.Close() // it cannot be used
			return nil, err
		}
	}
	return opened, nil
}

// A conn is a connection with its prepared statements. database/sql uses it from one goroutine at a time.
type conn struct {
	driver.Conn

	trace    trace.Begin
	prepared map[string]driver.Stmt
	inTx     bool
	broken   bool
}

var (
	_ driver.ConnBeginTx = (*conn)(nil)
	_ driver.Validator   = (*conn)(nil)
)

// Prepare returns a prepared statement, which is kept until the connection is closed or the statement fails.
func (c *conn) Prepare(query string) (driver.Stmt, error) {
	inner, kept := c.prepared[query]
	if !kept {
		var err error
		if inner, err = c.Conn.Prepare(query); err == nil && c.inTx && !described(inner) {
			err = errors.Join(errReplaced, inner.Close())
		}
		if err != nil {
			return nil, c.note(err)
		}
		c.prepared[query] = inner
	}
	return &stmt{inner, c, query}, nil
}

// errReplaced is the error of a transaction in which a statement could not be prepared: what it did before may be lost.
var errReplaced error = &ServerError{
	Code: codeLost, State: stateConnectionFailure,
	Message: "a statement's parameters could not be described: the connection was lost, or the statement is refused",
}

func (c *conn) BeginTx(_ context.Context, options driver.TxOptions) (driver.Tx, error) {
	if options.Isolation != driver.IsolationLevel(sql.LevelDefault) || options.ReadOnly {
		return nil, errors.New("isolation levels of transactions are not supported: a statement names its own (WITH RS)")
	}
	inner, err := c.Begin()
	if err != nil {
		return nil, c.breakAfter(err) // it may be in a transaction now
	}
	c.inTx = true
	return transaction{inner, c}, nil
}

func (c *conn) Close() error {
	for _, s := range c.prepared {
		_ = s.Close() // the connection is closed in any case
	}
	return c.Conn.Close()
}

// IsValid reports to database/sql whether the connection may be used again.
func (c *conn) IsValid() bool { return !c.broken }

// note converts an error of the driver into one of the server, and marks the connection as broken if it is lost.
func (c *conn) note(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, driver.ErrBadConn):
		// database/sql would run the statement again, which is wrong for a write.
		err = &ServerError{Code: codeLost, State: stateConnectionFailure, Message: err.Error()}
	default:
		err = diagnosed(err)
	}
	c.broken = c.broken || isLost(err)
	return err
}

// breakAfter is note, and marks the connection as broken after any error.
func (c *conn) breakAfter(err error) error {
	c.broken = c.broken || err != nil
	return c.note(err)
}

type transaction struct {
	driver.Tx

	conn *conn
}

func (t transaction) Commit() error { return t.ended(t.Tx.Commit()) }

func (t transaction) Rollback() error { return t.ended(t.Tx.Rollback()) }

func (t transaction) ended(err error) error {
	t.conn.inTx = false
	return t.conn.breakAfter(err)
}

// A stmt is one use of a prepared statement.
type stmt struct {
	driver.Stmt

	conn  *conn
	query string
}

var (
	_ driver.StmtExecContext   = (*stmt)(nil)
	_ driver.StmtQueryContext  = (*stmt)(nil)
	_ driver.NamedValueChecker = (*stmt)(nil)
)

// Close does nothing: the connection keeps the statement.
func (s *stmt) Close() error { return nil }

// CheckNamedValue binds documents as text.
func (s *stmt) CheckNamedValue(v *driver.NamedValue) (err error) {
	if text, is := v.Value.([]byte); is {
		v.Value = string(text)
		return nil
	}
	v.Value, err = driver.DefaultParameterConverter.ConvertValue(v.Value)
	return err
}

// Exec uses the driver's Exec, because its ExecContext handles the context wrongly.
func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	result, err := s.Stmt.Exec(args) //nolint:staticcheck // see above
	return result, s.failed(err)
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	end := s.traced(ctx)
	result, err := s.Exec(values(args))
	end(err)
	return result, err
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	end := s.traced(ctx)
	inner, err := s.Query(values(args))
	if err != nil {
		err = s.failed(err)
		end(err)
		return nil, err
	}
	return &rows{Rows: inner, conn: s.conn, end: end}, nil
}

// traced begins the trace of a statement, if it is one of a transaction.
func (s *stmt) traced(ctx context.Context) (end func(error)) {
	name := names[s.query]
	if name == "" {
		return func(error) {}
	}
	return s.conn.trace.Statement(ctx, name)
}

// failed drops a prepared statement that failed, so that the next use prepares it again: the driver may have left it
// half bound.
func (s *stmt) failed(err error) error {
	if err != nil {
		delete(s.conn.prepared, s.query)
		_ = s.Stmt.Close() // the first error is reported
	}
	return s.conn.note(err)
}

func values(args []driver.NamedValue) []driver.Value {
	list := make([]driver.Value, len(args))
	for i, a := range args {
		list[i] = a.Value
	}
	return list
}

// rows are those of a query, whose trace ends when they have been read.
type rows struct {
	driver.Rows

	conn *conn
	end  func(error)
	err  error
}

func (r *rows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.conn.note(err)
		r.err = err
	}
	return err
}

func (r *rows) Close() error {
	err := r.conn.note(r.Rows.Close())
	r.end(errors.Join(r.err, err))
	return err
}

// diagnosed converts an error of the driver into a *ServerError; any other error it returns unchanged.
func diagnosed(err error) error {
	if list := diagnose(err); len(list) > 0 {
		return serverError(list)
	}
	return err
}

var (
	stateInMessage  = regexp.MustCompile(`SQLSTATE=([0-9A-Z]{5})`)
	codeInMessage   = regexp.MustCompile(`\bSQL(\d{4,5})[NWC]\b`)
	reasonInMessage = regexp.MustCompile(`[Rr]eason code[^"0-9]{0,10}"?(\d+)"?`)
)

// serverError reads code, state and reason from a driver's records of an error, whose codes are its native ones
// and whose states may be ODBC's. Db2's own state and the reason are only in the message, which may be in any language;
// the labels around them are the same in all.
func serverError(list []ServerError) *ServerError {
	// The first that is Db2's and not the client's.
	i := slices.IndexFunc(list, func(d ServerError) bool { return codeInMessage.MatchString(d.Message) })
	d := list[max(i, 0)]
	find := func(label *regexp.Regexp) string {
		if m := label.FindStringSubmatch(d.Message); m != nil {
			return m[1]
		}
		return ""
	}
	number := func(label *regexp.Regexp) int {
		n, _ := strconv.Atoi(find(label)) // digits, or nothing
		return n
	}
	return &ServerError{
		Code: cmp.Or(d.Code, -number(codeInMessage)), State: cmp.Or(find(stateInMessage), d.State),
		Reason: number(reasonInMessage), Message: strings.TrimSpace(d.Message),
	}
}
