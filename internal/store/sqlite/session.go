package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"modernc.org/sqlite"

	"brokerage/internal/tpox"
)

// A session is a connection with its statements, for one goroutine at a time. The statements bypass database/sql, which
// takes a quarter of the time of a lookup, and sql.Conn.Raw, which closes the connection after a panic.
type session struct {
	conn       *sql.Conn
	statements map[string]prepared
	status     sqlite.DBStatus

	// Memory for the arguments and the columns of a statement.
	named  []driver.NamedValue
	values []driver.Value
}

// A prepared is a statement of the driver.
type prepared interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// prepare takes a connection of a pool and prepares statements on it, by name. The caller calls close even after an
// error.
func (s *session) prepare(ctx context.Context, db *sql.DB, texts map[string]string) (err error) {
	if s.conn, err = db.Conn(ctx); err != nil {
		return err
	}
	s.statements = make(map[string]prepared, len(texts))
	return s.conn.Raw(func(c any) error {
		s.status, _ = c.(sqlite.DBStatus)
		for name, text := range texts {
			stmt, err := c.(driver.ConnPrepareContext).PrepareContext(ctx, text)
			if err != nil {
				return fmt.Errorf("statement %s: %w", name, err)
			}
			s.statements[name] = stmt.(prepared)
		}
		return nil
	})
}

// close closes the connection and its statements: as long as a statement exists, SQLite keeps the connection and the
// journal open.
func (s *session) close() error {
	if s.conn == nil {
		return nil
	}
	return errors.Join(s.conn.Raw(func(any) error {
		var errs []error
		for _, stmt := range s.statements {
			errs = append(errs, stmt.Close())
		}
		return errors.Join(errs...)
	}), s.conn.Close())
}

// bind returns the arguments of a statement in the form of the driver. They are valid until the next call. The driver
// takes int64, string, []byte and nil.
func (s *session) bind(args []any) []driver.NamedValue {
	s.named = s.named[:0]
	for i, arg := range args {
		s.named = append(s.named, driver.NamedValue{Ordinal: i + 1, Value: arg})
	}
	return s.named
}

// execute runs a statement without reading its rows, and returns how many rows it changed. It has no context: an
// interrupt would roll back the whole transaction.
func (s *session) execute(name string, args ...any) (int64, error) {
	result, err := s.statements[name].ExecContext(context.Background(), s.bind(args))
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// row reads the columns of the first row of a query, or returns sql.ErrNoRows. The query is interrupted when ctx ends.
func (s *session) row(ctx context.Context, name string, args, columns []any) (err error) {
	rows, err := s.statements[name].QueryContext(ctx, s.bind(args))
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, rows.Close()) }()
	for len(s.values) < len(columns) {
		s.values = append(s.values, nil)
	}
	row := s.values[:len(columns)]
	if err := rows.Next(row); errors.Is(err, io.EOF) {
		return sql.ErrNoRows
	} else if err != nil {
		return err
	}
	for i, v := range row { // the driver allocates the values, so they can be kept
		var ok bool
		switch column := columns[i].(type) {
		case *[]byte:
			if *column, ok = v.([]byte); v == nil {
				ok = true
			}
		case *string:
			*column, ok = v.(string)
		case *int64:
			*column, ok = v.(int64)
		}
		if !ok {
			return &tpox.Damaged{Cause: fmt.Errorf("column %d has the wrong type %T", i+1, v)}
		}
	}
	return nil
}
