package db2

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"

	"brokerage/internal/brokerage"
)

// querier is the pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// A statement that reads documents declares for how long ones: the driver
// allocates twice that for each query, and cuts what is longer without a word.
// Nearly all documents are within what the files declare; for the others there
// are these, tried in order.
var widths = []string{"", "CLOB(256K)", "CLOB(16M)"}

var declared = regexp.MustCompile(`AS (?:CLOB|VARCHAR)\(\d+K?\)((?: EXCLUDING XMLDECLARATION)?\) AS doc\b)`)

// widened is a statement that declares more.
func widened(text, width string) string {
	if width == "" {
		return text
	}
	return declared.ReplaceAllString(text, "AS "+width+"$1")
}

// padded is a statement whose document has a blank behind it: no document is then
// of a length that the driver takes for NULL.
func padded(text string) string {
	return strings.Replace(text, "OCTET_LENGTH(a.doc), a.doc", "OCTET_LENGTH(a.doc || ' '), a.doc || ' '", 1)
}

// takenForNull tells whether the driver says NULL of a value of that length.
func takenForNull(length int64) bool { return length%(1<<16) == 1<<16-1 }

// errCut says that the driver did not give the whole of a document.
type errCut struct{ length, got int64 }

func (e *errCut) Error() string {
	return fmt.Sprintf("the driver gave %d bytes of a document of %d", e.got, e.length)
}

// eachDocument runs a statement whose rows are a length and a document, and gives
// every document whole: its length is compared with the server's own.
func eachDocument(ctx context.Context, q querier, text string, args []any, each func(doc []byte)) (err error) {
	for _, width := range widths {
		var docs [][]byte
		docs, err = documents(ctx, q, widened(text, width), args)
		if cut, ok := err.(*errCut); ok && takenForNull(cut.length) { //nolint:errorlint // it is documents' own
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
		if _, cut := err.(*errCut); !cut && !isTooLong(err) { //nolint:errorlint // as above
			return err
		}
	}
	return err
}

// isTooLong tells whether the server refused to serialise into what is declared.
func isTooLong(err error) bool {
	e := serverErrorOf(err)
	return e.State == stateTooLong || e.Code == codeOverDeclared
}

func documents(ctx context.Context, q querier, text string, args []any) (docs [][]byte, err error) {
	rows, err := q.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := rows.Close(); err == nil {
			err = closed
		}
	}()
	for rows.Next() {
		var length sql.NullInt64
		var doc sql.RawBytes
		if err := rows.Scan(&length, &doc); err != nil {
			return nil, err
		}
		if int64(len(doc)) != length.Int64 {
			return nil, &errCut{length.Int64, int64(len(doc))}
		}
		docs = append(docs, append(make([]byte, 0, len(doc)), doc...)) // RawBytes are the driver's buffer
	}
	return docs, rows.Err()
}

// document is eachDocument for one in the normal form, or none: nil.
func document(ctx context.Context, q querier, name string, args ...any) (doc []byte, err error) {
	var stored []byte
	err = eachDocument(ctx, q, statements[name], args, func(d []byte) { stored = d })
	if err != nil || stored == nil {
		return nil, err
	}
	return brokerage.Normal(stored)
}

// row runs a query of at most one row without documents.
func row(ctx context.Context, q querier, name string, args, into []any) (found bool, err error) {
	rows, err := q.QueryContext(ctx, statements[name], args...)
	if err != nil {
		return false, err
	}
	defer func() {
		if closed := rows.Close(); err == nil {
			err = closed
		}
	}()
	if rows.Next() {
		return true, rows.Scan(into...)
	}
	return false, rows.Err()
}
