package db2

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"brokerage/internal/brokerage"
)

// A querier is the pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// widths are the types that a statement declares for the documents that it reads, tried in order: first what its file
// says, which nearly all documents fit. The driver allocates twice that for each query, and cuts longer documents
// without an error.
var widths = []string{"", "CLOB(256K)", "CLOB(16M)"}

var declared = regexp.MustCompile(`AS (?:CLOB|VARCHAR)\(\d+K?\)((?: EXCLUDING XMLDECLARATION)?\) AS doc\b)`)

// widened returns a statement that declares another type for its documents.
func widened(text, width string) string {
	if width == "" {
		return text
	}
	return declared.ReplaceAllString(text, "AS "+width+"$1")
}

// padded returns a statement that appends a blank to its documents, whose length is then none that the driver takes for
// NULL (see takenForNull).
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

// documents runs a statement whose rows are a length and a document, and returns the documents. It compares their
// lengths with the server's, so that none is cut.
func documents(ctx context.Context, q querier, name string, args ...any) (docs [][]byte, err error) {
	for _, width := range widths {
		text := widened(statements[name], width)
		docs, err = sizedDocuments(ctx, q, text, args)
		cut, isCut := errors.AsType[*errCut](err)
		if isCut && takenForNull(cut.lengthBytes) {
			docs, err = sizedDocuments(ctx, q, padded(text), args)
			for i := range docs {
				docs[i] = bytes.TrimSuffix(docs[i], []byte(" "))
			}
			_, isCut = errors.AsType[*errCut](err)
		}
		// The server may refuse to serialise a document into a type that is too small.
		if e := serverErrorOf(err); !isCut && e.State != stateTooLong && e.Code != codeOverDeclared {
			break
		}
	}
	return docs, err
}

// sizedDocuments returns the documents of a statement, or *errCut where one is longer than the statement declares.
func sizedDocuments(ctx context.Context, q querier, text string, args []any) (docs [][]byte, err error) {
	err = eachRow(ctx, q, text, args, func(rows *sql.Rows) error {
		var length sql.NullInt64
		var doc sql.RawBytes
		if err := rows.Scan(&length, &doc); err != nil {
			return err
		}
		if int64(len(doc)) != length.Int64 {
			return &errCut{length.Int64, int64(len(doc))}
		}
		docs = append(docs, append(make([]byte, 0, len(doc)), doc...)) // RawBytes are the driver's buffer
		return nil
	})
	return docs, err
}

// document returns the one document of a statement, in the normal form, or nil where there is none.
func document(ctx context.Context, q querier, name string, args ...any) ([]byte, error) {
	docs, err := documents(ctx, q, name, args...)
	if err != nil || len(docs) == 0 {
		return nil, err
	}
	return brokerage.Normal(docs[0])
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

// row runs a query that returns at most one row, without documents, and reports whether there was one.
func row(ctx context.Context, q querier, name string, args, into []any) (found bool, err error) {
	err = eachRow(ctx, q, statements[name], args, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(into...)
	})
	return found, err
}
