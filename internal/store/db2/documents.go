package db2

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"

	"brokerage/internal/tpox"
)

// A querier is a pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// widths are the types that a statement declares for the documents that it reads, tried in order: first what its file
// declares, which nearly all documents fit. The driver allocates twice the declared size for each query, and cuts a
// longer CLOB without an error. A VARCHAR is never cut: it has at most 32,672 bytes, the server refuses to serialise
// more into it, and the driver's buffer has room for all of them.
var widths = []string{"", "CLOB(256K)", "CLOB(16M)"}

var declared = regexp.MustCompile(`AS (?:CLOB|VARCHAR)\(\d+K?\)((?: EXCLUDING XMLDECLARATION)?\) AS doc\b)`)

const measuring = "SELECT OCTET_LENGTH("

// widened changes a statement so that it declares another type for its documents and also selects their lengths.
func widened(text, width string) string {
	if width == "" {
		return text
	}
	text = declared.ReplaceAllString(text, "AS "+width+"$1")
	return strings.Replace(text, "SELECT a.doc\n", measuring+"a.doc), a.doc\n", 1)
}

// padded returns a statement that appends a blank to its documents, so that those which the driver took for NULL have
// another length.
func padded(text string) string {
	return strings.Replace(text, "OCTET_LENGTH(a.doc), a.doc", "OCTET_LENGTH(a.doc || ' '), a.doc || ' '", 1)
}

// takenForNull reports whether the driver returns NULL for a value of that length.
func takenForNull(length int64) bool { return length%(1<<16) == 1<<16-1 }

// An errCut says that the driver did not return the whole of a document.
type errCut struct{ lengthBytes, gotBytes int64 }

func (e *errCut) Error() string {
	return fmt.Sprintf("the driver returned %d bytes of a document of %d", e.gotBytes, e.lengthBytes)
}

// eachDocument runs a statement whose rows are documents, and calls each for every document. A statement that declares
// a CLOB also selects the lengths of the documents: eachDocument verifies them, so that no document is cut.
func eachDocument(ctx context.Context, q querier, text string, args []any, each func(doc []byte)) (err error) {
	for _, width := range widths {
		var docs [][]byte
		docs, err = documents(ctx, q, widened(text, width), args)
		if cut, ok := err.(*errCut); ok && takenForNull(cut.lengthBytes) { //nolint:errorlint // it is documents' own
			docs, err = documents(ctx, q, padded(widened(text, width)), args)
			for i := range docs {
				docs[i] = bytes.TrimSuffix(docs[i], []byte(" "))
			}
		}
		if err == nil {
			for _, doc := range docs {
				each(doc)
			}
			return nil
		}
		// The server refuses to serialise a document into a type that is too short.
		tooLong := serverErrorOf(err).State == stateTooLong || serverErrorOf(err).Code == codeOverDeclared
		if _, cut := err.(*errCut); !cut && !tooLong { //nolint:errorlint // as above
			return err
		}
	}
	return err
}

func documents(ctx context.Context, q querier, text string, args []any) (docs [][]byte, err error) {
	measured := strings.HasPrefix(text, measuring)
	err = eachRow(ctx, q, text, args, func(rows *sql.Rows) error {
		var length sql.NullInt64
		var doc sql.RawBytes
		into := []any{&length, &doc}
		if !measured {
			into = into[1:]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if measured && int64(len(doc)) != length.Int64 {
			return &errCut{length.Int64, int64(len(doc))}
		}
		docs = append(docs, append(make([]byte, 0, len(doc)), doc...)) // RawBytes are the driver's buffer
		return nil
	})
	return docs, err
}

// eachRow runs a query and calls each for every row.
func eachRow(ctx context.Context, q querier, text string, args []any, each func(*sql.Rows) error) (err error) {
	rows, err := q.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, rows.Close()) }()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// document returns the one document of a statement, in the normal form, or nil if there is none.
func document(ctx context.Context, q querier, name string, args ...any) (doc []byte, err error) {
	var stored []byte
	err = eachDocument(ctx, q, statements[name], args, func(d []byte) { stored = d })
	if err != nil || stored == nil {
		return nil, err
	}
	return tpox.Normal(stored)
}

// row runs a query that returns at most one row, without documents, and reports whether there was one.
func row(ctx context.Context, q querier, name string, args, into []any) (found bool, err error) {
	rows, err := q.QueryContext(ctx, statements[name], args...)
	if err != nil {
		return false, err
	}
	defer func() { err = cmp.Or(err, rows.Close()) }()
	if rows.Next() {
		return true, rows.Scan(into...)
	}
	return false, rows.Err()
}
