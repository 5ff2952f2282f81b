package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"slices"

	"modernc.org/sqlite"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

//go:embed sql/*.sql
var sqlFiles embed.FS

// A statement is one of the files in sql/, with its properties. It is declared beside code that uses it.
type statement struct {
	name string // of the file, without .sql
	// kind is the kind of document that the statement reads or changes; unless depends is set, the first argument is its
	// key. It is empty for statements whose changes are not noted, such as those on rows of accounts, which change
	// together with their customer.
	kind kind
	// stores is set if the last argument is a packed document. adds is the number of documents that the statement adds: 0
	// for an update, -1 for a removal.
	stores bool
	adds   int64
	// changes returns what else the statement changes; nil for nothing.
	changes func(args []any) documentKey
	// depends returns the keys of all that a found row depends on; nil means the document of the key alone.
	depends func(args, columns []any) []documentKey
	// slow is set for a query that is interrupted when its request ends, and not tried in a snapshot that is too old
	// for it. Its depends must not use columns.
	slow bool
}

// statementTexts are the texts in sql/ by name.
var statementTexts = store.ReadStatements(sqlFiles, "sql")

// query reads the one row of a query, or returns sql.ErrNoRows.
func (s *Store) query(ctx context.Context, st *statement, args []any, columns ...any) error {
	end := s.options.Trace.Statement(ctx, st.name, nil)
	err := s.readers.read(ctx, st, args, columns)
	end(traceError(err))
	return err
}

// traceError returns the error to record in a trace. A row that was not found does not count as an error there.
func traceError(err error) error {
	if noRows(err) {
		return nil
	}
	return err
}

func noRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// missing returns the domain's error for a row that was not read: *NotFound if there is none.
func missing(what kind, key any, err error) error {
	if noRows(err) {
		return &tpox.NotFound{What: string(what), Key: fmt.Sprint(key)}
	}
	return domainError(err)
}

// document reads and unpacks the document of a key; a missing one is *NotFound.
func (s *Store) document(ctx context.Context, get *statement, key any) ([]byte, error) {
	var packed []byte
	if err := s.query(ctx, get, []any{key}, &packed); err != nil {
		return nil, missing(get.kind, key, err)
	}
	return s.unpack(get.kind, key, packed)
}

// unpack unpacks the document of a key.
func (s *Store) unpack(k kind, key any, packed []byte) ([]byte, error) {
	doc, err := s.codec.Load().unpack(k, packed)
	if err != nil {
		return nil, &tpox.Damaged{Cause: fmt.Errorf("%s %v does not unpack: %w", k, key, err)}
	}
	return doc, nil
}

// exec runs a statement and returns how many rows it changed. It notes changes for the census, the readers and revise.
func (t *transaction) exec(st *statement, args ...any) (int64, error) {
	end := t.w.store.options.Trace.Statement(t.job.ctx, st.name, nil)
	n, err := t.w.execute(st.name, args...)
	end(err)
	if n > 0 {
		t.changed = true
		if st.stores || st.adds < 0 {
			i := slices.Index(kinds[:], st.kind)
			t.change.documents[i] += st.adds
			t.change.bytes[i] -= t.replaced
			if st.stores {
				doc, _ := args[len(args)-1].([]byte)
				t.change.bytes[i] += int64(len(doc))
			}
		}
		if st.kind != "" {
			t.w.changes.note(keyOf(st.kind, args[0]))
		}
		if st.changes != nil {
			t.w.changes.note(st.changes(args))
		}
	}
	t.replaced = 0
	return n, err
}

// row reads the one row of a query, or returns sql.ErrNoRows.
func (t *transaction) row(st *statement, args []any, columns ...any) error {
	end := t.w.store.options.Trace.Statement(t.job.ctx, st.name, nil)
	err := t.w.row(context.Background(), st.name, args, columns)
	end(traceError(err))
	return err
}

var _ store.ScriptRunner = (*Store)(nil)

// RunScript runs statements of a workload file in one transaction: on a connection for reading if readOnly is set, or
// else on the writer's connection, between two groups.
func (s *Store) RunScript(
	ctx context.Context, readOnly bool, statements []store.ScriptStatement,
) (rows []int64, err error) {
	if readOnly {
		tx, err := s.reading.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return nil, scriptError(err)
		}
		rows, err = store.RunScript(ctx, tx, statements)
		return rows, scriptError(errors.Join(err, tx.Rollback()))
	}
	err = s.writer.enqueue(&job{ctx: ctx, exclusive: func(conn *sql.Conn) (err error) {
		ctx := context.WithoutCancel(ctx) // otherwise database/sql would roll back when it ends
		tx, err := conn.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if rows, err = store.RunScript(ctx, tx, statements); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		return tx.Commit()
	}})
	return rows, scriptError(err)
}

// CheckScript prepares a statement, and returns SQLite's error if it refuses the statement.
func (s *Store) CheckScript(ctx context.Context, text string) error {
	statement, err := s.reading.PrepareContext(ctx, text)
	if err != nil {
		return scriptError(err)
	}
	return statement.Close() //nolint:sqlclosecheck // nothing runs in between
}

// scriptError returns an error of SQLite as *store.ScriptRefused, unless it means damage.
func scriptError(err error) error {
	if failed, ok := errors.AsType[*sqlite.Error](err); ok && !tpox.IsDomainError(err) && !isDamage(err) {
		return &store.ScriptRefused{Code: fmt.Sprintf("SQLite %d", failed.Code()), Cause: err}
	}
	return domainError(err)
}
