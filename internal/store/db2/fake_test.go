package db2

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A fake is a driver that behaves as go_ibm_db does, with some of its faults. A test supplies the server's answers.
type fake struct {
	mu      sync.Mutex
	answer  func(query string, args []driver.Value) (answer, error)
	prepare func(query string) error // nil accepts everything
	commit  func() error
	calls   []string // the calls in order: statements by name, BEGIN, COMMIT, ROLLBACK

	connections, closed, prepared int
}

// An answer is the result of a statement: its rows, or the number of rows that it has changed.
type answer struct {
	rows    [][]driver.Value
	changed int64
}

func (f *fake) Connect(context.Context) (driver.Conn, error) {
	f.locked(func() { f.connections++ })
	return &fakeConn{fake: f}, nil
}

func (f *fake) Driver() driver.Driver { return nil }

func (f *fake) locked(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

func (f *fake) note(call string) { f.locked(func() { f.calls = append(f.calls, call) }) }

func (f *fake) said() (text string) {
	f.locked(func() { text = strings.Join(f.calls, " ") })
	return text
}

type fakeConn struct {
	*fake
	inTransaction bool
}

func (c *fakeConn) Prepare(query string) (driver.Stmt, error) {
	c.locked(func() { c.prepared++ })
	if c.fake.prepare != nil {
		if err := c.fake.prepare(query); err != nil {
			return nil, err
		}
	}
	return &fakeStmt{c, query}, nil
}

func (c *fakeConn) Close() error {
	c.locked(func() { c.closed++ })
	return nil
}

func (c *fakeConn) Begin() (driver.Tx, error) {
	if c.inTransaction {
		return nil, errors.New("already in a transaction")
	}
	c.inTransaction = true
	c.note("BEGIN")
	return &fakeTx{c}, nil
}

type fakeTx struct{ *fakeConn }

// Commit leaves the connection in the transaction if it fails, as the driver leaves autocommit off.
func (t *fakeTx) Commit() error {
	t.note("COMMIT")
	if t.commit != nil {
		if err := t.commit(); err != nil {
			return err
		}
	}
	t.inTransaction = false
	return nil
}

func (t *fakeTx) Rollback() error {
	t.note("ROLLBACK")
	t.inTransaction = false
	return nil
}

type fakeStmt struct {
	*fakeConn
	query string
}

func (s *fakeStmt) Close() error  { return nil }
func (s *fakeStmt) NumInput() int { return strings.Count(s.query, "?") }

// ExecContext panics, because the driver's ExecContext handles a context wrongly.
func (s *fakeStmt) ExecContext(context.Context, []driver.NamedValue) (driver.Result, error) {
	panic("a context came to the driver")
}

func (s *fakeStmt) QueryContext(context.Context, []driver.NamedValue) (driver.Rows, error) {
	panic("a context came to the driver")
}

func (s *fakeStmt) Exec(args []driver.Value) (driver.Result, error) {
	s.note(nameOf(s.query))
	a, err := s.answer(s.query, args)
	return driver.RowsAffected(a.changed), err
}

func (s *fakeStmt) Query(args []driver.Value) (driver.Rows, error) {
	s.note(nameOf(s.query))
	a, err := s.answer(s.query, args)
	return &fakeRows{a.rows}, err
}

type fakeRows struct{ rows [][]driver.Value }

func (r *fakeRows) Columns() []string {
	if len(r.rows) == 0 {
		return []string{"1", "2"}
	}
	return make([]string, len(r.rows[0]))
}

func (r *fakeRows) Close() error { return nil }

func (r *fakeRows) Next(dest []driver.Value) error {
	if len(r.rows) == 0 {
		return io.EOF
	}
	copy(dest, r.rows[0])
	r.rows = r.rows[1:]
	return nil
}

// forms are the names of the statements by their texts, with the form in which each is sent.
var forms = sync.OnceValue(func() map[string]string {
	all := make(map[string]string)
	for name, text := range statements {
		for _, width := range slices.Backward(widths) {
			form := strings.TrimSuffix(name+":"+width, ":")
			all[padded(widened(text, width))], all[widened(text, width)] = form+":padded", form
		}
	}
	return all
})

func nameOf(query string) string { return cmp.Or(forms()[query], query) }

// documentOf returns a document as the server and the driver do. The server refuses to serialise it into a VARCHAR that
// is too short. The driver cuts a CLOB at twice the declared size plus two, and returns NULL if takenForNull.
func documentOf(query, doc string) (answer, error) {
	if !strings.HasPrefix(query, measuring) {
		if len(doc) > declaredBytes(query) {
			return answer{}, failure(codeOverDeclared, stateTooLong)
		}
		return answer{rows: [][]driver.Value{{[]byte(doc)}}}, nil
	}
	if strings.Contains(query, "|| ' '") {
		doc += " "
	}
	length := int64(len(doc))
	if takenForNull(length) {
		return answer{rows: [][]driver.Value{{length, nil}}}, nil
	}
	return answer{rows: [][]driver.Value{{length, []byte(doc[:min(len(doc), 2*(declaredBytes(query)+1))])}}}, nil
}

// open returns a store on a fake.
func open(t testing.TB, f *fake) *Store {
	t.Helper()
	return openWith(t, f, Options{Schema: "TPOX"})
}

func openWith(t testing.TB, f *fake, settings Options) *Store {
	t.Helper()
	inner := f.answer
	f.answer = func(query string, args []driver.Value) (answer, error) {
		switch nameOf(query) {
		case "get_setting":
			return answer{rows: [][]driver.Value{{[]byte("1")}}}, nil
		case "server_version", "server_settings", "collation":
			return answer{}, nil
		}
		return inner(query, args)
	}
	s, err := openConnectors(t.Context(), f, f, settings)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	f.calls = nil
	return s
}

func failure(code int, state string) error {
	return &ServerError{Code: code, State: state, Message: "said the fake"}
}

var (
	lost     = failure(codeLost, stateConnectionFailure)
	rerouted = failure(-30108, "08506")
	deadlock = failure(codeRolledBack, "40001")
	twice    = failure(-803, stateUnique)
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
