package db2

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// A storedBatch is documents as the database returns them.
type storedBatch struct {
	docs     [][]byte
	findings []string // of documents that it did not return whole
}

// Verify reads every document and calls find with a sentence for each fault, and read with its progress. The unique
// indexes on the documents hold their keys, which need no check of their own. It returns an error only where it cannot
// finish. It may or may not see what is written meanwhile.
func (s *Store) Verify(ctx context.Context, find func(string) error, read func(bytes int64)) (store.Verified, error) {
	v := store.Verification{Find: find, Read: read}
	unfinished, err := s.Loading(ctx)
	if err == nil && unfinished != "" {
		err = v.ReportUnfinished(ctx)
	}
	if err != nil {
		return v.Verified, err
	}
	var accounts atomic.Int64
	for _, k := range dataset.Kinds {
		err := store.Inspect(ctx, &v, k, s.stored(ctx, k), func(b storedBatch) store.Inspected {
			seen, held := b.check(k)
			accounts.Add(held)
			return seen
		})
		if err != nil {
			return v.Verified, cmp.Or(ctx.Err(), err)
		}
	}
	v.Accounts = accounts.Load()
	return v.Verified, nil
}

// errEnough ends a query whose remaining rows are not needed.
var errEnough = errors.New("enough")

// stored reads a table in batches. The documents that the driver takes for NULL it reads in a second query.
func (s *Store) stored(ctx context.Context, k dataset.Kind) iter.Seq2[storedBatch, error] {
	return func(yield func(storedBatch, error) bool) {
		var b storedBatch
		add := func(length int64, doc []byte) error {
			if length != int64(len(doc)) {
				finding := fmt.Sprintf("a document of %s was not read whole: %d of %d bytes", tables[k], len(doc), length)
				b.findings = append(b.findings, finding)
				return nil
			}
			if b.docs = append(b.docs, doc); len(b.docs) < store.VerifyBatch {
				return nil
			}
			full := b
			if b = (storedBatch{}); !yield(full, nil) {
				return errEnough
			}
			return nil
		}
		text, nulls := statements["all_"+tables[k]], false
		err := eachStored(ctx, s.admin, text, func(length int64, doc []byte) error {
			if len(doc) == 0 && takenForNull(length) {
				nulls = true
				return nil
			}
			return add(length, doc)
		})
		if nulls && err == nil {
			err = eachStored(ctx, s.admin, padded(text), func(length int64, doc []byte) error {
				if !takenForNull(length - 1) {
					return nil
				}
				return add(length-1, bytes.TrimSuffix(doc, []byte(" ")))
			})
		}
		if !errors.Is(err, errEnough) && (err != nil || len(b.docs) > 0 || len(b.findings) > 0) {
			yield(b, err)
		}
	}
}

// eachStored calls each with the length and the copy of every document of a query.
func eachStored(ctx context.Context, q querier, text string, each func(length int64, doc []byte) error) error {
	return eachRow(ctx, q, text, nil, func(rows *sql.Rows) error {
		var length sql.NullInt64
		var doc []byte
		if err := rows.Scan(&length, &doc); err != nil {
			return err
		}
		return each(length.Int64, doc)
	})
}

// check checks the documents of a batch; accounts is how many accounts its customers have.
func (b storedBatch) check(k dataset.Kind) (seen store.Inspected, accounts int64) {
	seen.Findings = b.findings
	for _, doc := range b.docs {
		doc, refused := tpox.Normal(doc)
		if refused != nil {
			seen.Documents++
			seen.AddFinding(tables[k], "%v", refused)
			continue
		}
		name, held, err := keysOf(k, doc)
		accounts += int64(held)
		if err != nil {
			seen.AddFinding(name, "the document has no keys: %v", err)
		}
		if seen.Document(k, name, doc) && k == dataset.Customer && store.Overdrawn(doc) {
			seen.AddFinding(name, "a position is below zero")
		}
	}
	return seen, accounts
}

// keysOf returns a name for a document, and how many accounts it has.
func keysOf(k dataset.Kind, doc []byte) (name string, accounts int, err error) {
	switch k {
	case dataset.Security:
		keys, err := tpox.SecurityKeysOf(doc)
		return "security " + keys.Symbol, 0, err
	case dataset.Customer:
		keys, err := tpox.CustomerKeysOf(doc)
		return fmt.Sprintf("customer %d", keys.ID), len(keys.Accounts), err
	default:
		keys, err := tpox.OrderKeysOf(doc)
		return fmt.Sprintf("order %d", keys.ID), 0, err
	}
}
