package db2

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"brokerage/internal/store"
)

// Faults of go_ibm_db v0.5.4 (https://github.com/ibmdb/go_ibm_db), each with how this package avoids it. The code for
// that is in this file, in eachDocument, in Store.stored and in the statements; it can go when the fault is fixed.
//
//   - A context does not cancel a call. The driver checks it after the call, and then reports as failed what was done
//     (issues 90, 182). A query whose context expired leaks its statement's handle. So the driver gets no context
//     that expires, and callers check theirs between statements.
//   - The driver binds []byte as binary (param.go): text bound in this way is stored as garbage.
//   - BeginTx fails for every isolation level but the default: statements contain WITH RS where they need it.
//   - After a failed commit the connection stays in autocommit-off mode (tx.go returns before it resets that): it must
//     not return to the pool.
//   - The driver describes a statement each time it prepares it, which costs a round trip: each connection keeps its
//     prepared statements.
//   - A value reads as NULL if its length in bytes modulo 65,536 is 65,535 (an int16 in column.go). A value longer than
//     its declared size is cut without an error (issue 222 says what memory a larger size costs). See eachDocument.
//   - Errors hold ODBC's SQLSTATE, which is not always Db2's. See serverError.
//   - Exec asks SQLMoreResults for further results and drops its error. No statement that the store executes has more
//     than one result.
//   - A connection string's unknown keywords are ignored: the library's warning (SQL_SUCCESS_WITH_INFO) is dropped.

// A connector opens connections and wraps them.
type connector struct {
	driver.Connector
	session string // a statement that each new connection runs first; empty for none
	trace   store.Trace
}

func (c connector) Connect(context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(context.Background())
	if err != nil {
		return nil, diagnosed(err)
	}
	opened := &conn{inner: inner, trace: c.trace, prepared: make(map[string]driver.Stmt)}
	if c.session == "" {
		return opened, nil
	}
	statement, err := opened.Prepare(c.session)
	if err == nil {
		_, err = statement.Exec(nil) //nolint:staticcheck // see stmt.Exec
	}
	if err != nil {
		_ = opened.Close() // it cannot be used
		return nil, err
	}
	return opened, nil
}

// A conn is a connection with its prepared statements. database/sql uses it from one goroutine at a time.
type conn struct {
	inner    driver.Conn
	trace    store.Trace
	prepared map[string]driver.Stmt
	broken   bool
}

var (
	_ driver.ConnBeginTx        = (*conn)(nil)
	_ driver.ConnPrepareContext = (*conn)(nil)
	_ driver.Validator          = (*conn)(nil)
)

func (c *conn) Prepare(query string) (driver.Stmt, error) {
	inner, kept := c.prepared[query]
	if !kept {
		var err error
		if inner, err = c.inner.Prepare(query); err != nil {
			return nil, c.note(err)
		}
		c.prepared[query] = inner
	}
	return &stmt{inner: inner, conn: c, name: names[query]}, nil
}

func (c *conn) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	return c.Prepare(query)
}

func (c *conn) Begin() (driver.Tx, error) { return c.BeginTx(context.Background(), driver.TxOptions{}) }

func (c *conn) BeginTx(_ context.Context, options driver.TxOptions) (driver.Tx, error) {
	if options.Isolation != driver.IsolationLevel(sql.LevelDefault) || options.ReadOnly {
		return nil, errors.New("isolation levels of transactions are not supported: a statement names its own (WITH RS)")
	}
	inner, err := c.inner.Begin() //nolint:staticcheck // the driver has no other
	if err != nil {
		c.broken = true // it may be in a transaction now
		return nil, c.note(err)
	}
	return &driverTx{inner: inner, conn: c}, nil
}

func (c *conn) Close() error {
	for _, s := range c.prepared {
		_ = s.Close() // only the error of the connection is reported
	}
	return c.inner.Close()
}

// IsValid reports to database/sql whether the connection may be used again.
func (c *conn) IsValid() bool { return !c.broken }

// note converts an error of the driver into one of the server, and marks the connection as broken if the error means
// that it is.
func (c *conn) note(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, driver.ErrBadConn) {
		c.broken = true
		return &ServerError{Code: codeLost, State: stateConnectionFailure, Message: err.Error()}
	}
	err = diagnosed(err)
	c.broken = c.broken || isLost(err)
	return err
}

type driverTx struct {
	inner driver.Tx
	conn  *conn
}

func (t *driverTx) Commit() error { return t.ended(t.inner.Commit()) }

func (t *driverTx) Rollback() error { return t.ended(t.inner.Rollback()) }

func (t *driverTx) ended(err error) error {
	if err != nil {
		t.conn.broken = true
	}
	return t.conn.note(err)
}

// A stmt is one use of a prepared statement.
type stmt struct {
	inner driver.Stmt
	conn  *conn
	name  string // for traces
}

var (
	_ driver.StmtExecContext   = (*stmt)(nil)
	_ driver.StmtQueryContext  = (*stmt)(nil)
	_ driver.NamedValueChecker = (*stmt)(nil)
)

func (s *stmt) NumInput() int { return s.inner.NumInput() }

// Close does nothing: the connection keeps the prepared statement.
func (s *stmt) Close() error { return nil }

func (s *stmt) CheckNamedValue(v *driver.NamedValue) (err error) {
	if text, is := v.Value.([]byte); is {
		v.Value = string(text)
		return nil
	}
	v.Value, err = driver.DefaultParameterConverter.ConvertValue(v.Value)
	return err
}

func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	result, err := s.inner.Exec(args) //nolint:staticcheck // the driver handles the context of ExecContext wrongly
	return result, s.failed(err)
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	end := s.traced(ctx)
	result, err := s.Exec(plain(args))
	end(err)
	return result, err
}

func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.query(args, func(error) {})
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.query(plain(args), s.traced(ctx))
}

func (s *stmt) query(args []driver.Value, end func(error)) (driver.Rows, error) {
	inner, err := s.inner.Query(args) //nolint:staticcheck // as above
	if err != nil {
		err = s.failed(err)
		end(err)
		return nil, err
	}
	return &rows{Rows: inner, conn: s.conn, end: end}, nil
}

// traced begins the trace of a statement that has a name; others are not traced.
func (s *stmt) traced(ctx context.Context) (end func(error)) {
	if s.name == "" {
		return func(error) {}
	}
	return s.conn.trace.Statement(ctx, s.name, nil)
}

// failed drops a prepared statement that failed, so that the next use prepares it again: the driver may have left it
// half bound.
func (s *stmt) failed(err error) error {
	if err == nil {
		return nil
	}
	for query, kept := range s.conn.prepared {
		if kept == s.inner {
			delete(s.conn.prepared, query)
			_ = kept.Close() // the first error is reported
		}
	}
	return s.conn.note(err)
}

func plain(args []driver.NamedValue) []driver.Value {
	values := make([]driver.Value, len(args))
	for i, a := range args {
		values[i] = a.Value
	}
	return values
}

// rows are the rows of a query, whose trace ends when they are closed.
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
	err := r.Rows.Close()
	r.end(errors.Join(r.err, err))
	return err
}

// A Diagnostic is one of a driver's records of an error.
type Diagnostic struct {
	Code    int    // SQLCODE: the driver's native error
	State   string // SQLSTATE: ODBC's or Db2's
	Message string
}

// diagnosed converts an error of the driver into a *ServerError, and returns any other error unchanged.
func diagnosed(err error) error {
	if _, already := errors.AsType[*ServerError](err); already {
		return err
	}
	list := diagnose(err)
	if len(list) == 0 {
		return err
	}
	return serverError(list)
}

var (
	stateInMessage  = regexp.MustCompile(`SQLSTATE=([0-9A-Z]{5})`)
	codeInMessage   = regexp.MustCompile(`\bSQL(\d{4,5})[NWC]\b`)
	reasonInMessage = regexp.MustCompile(`"(\d+)"`)
)

// serverError reads code, state and reason from diagnostics. Db2's own SQLSTATE and the reason are only in the message,
// which may be in any language. The label "SQLSTATE=" is not translated; the reason is a number in quotes.
func serverError(list []Diagnostic) *ServerError {
	d := list[0]
	for _, other := range list {
		if codeInMessage.MatchString(other.Message) {
			d = other // the first diagnostic of Db2, not of the client
			break
		}
	}
	e := &ServerError{Code: d.Code, State: d.State, Message: strings.TrimSpace(d.Message)}
	if m := stateInMessage.FindStringSubmatch(d.Message); m != nil {
		e.State = m[1]
	}
	if m := codeInMessage.FindStringSubmatch(d.Message); m != nil && e.Code == 0 {
		n, _ := strconv.Atoi(m[1]) // they are digits
		e.Code = -n
	}
	if m := reasonInMessage.FindStringSubmatch(d.Message); m != nil {
		e.Reason, _ = strconv.Atoi(m[1]) // they are digits
	}
	return e
}
