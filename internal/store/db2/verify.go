package db2

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// A storedDocument is a document as the driver returns it, and its length as the database knows it.
type storedDocument struct {
	doc         []byte
	lengthBytes int64
}

// Verify reads every document and calls find with a sentence for each fault, and read with its progress. The unique
// indexes on the documents hold their keys, which need no check of their own. It returns an error only where it cannot
// finish. It may or may not see what is written meanwhile.
func (s *Store) Verify(ctx context.Context, find func(string) error, read func(bytes int64)) (bulk.Verified, error) {
	v := bulk.Verification{Find: find, Read: read}
	unfinished, err := s.Loading(ctx)
	if err == nil && unfinished != "" {
		err = v.TellUnfinished(ctx)
	}
	if err != nil {
		return v.Verified, err
	}
	var accounts atomic.Int64
	for _, k := range dataset.Kinds {
		err := bulk.Inspect(ctx, &v, k, s.stored(ctx, k), func(docs []storedDocument) bulk.Inspected {
			seen, held := inspectDocuments(k, docs)
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

// errStop ends the reading of a table.
var errStop = errors.New("enough is read")

// stored reads a table in batches.
func (s *Store) stored(ctx context.Context, k dataset.Kind) iter.Seq2[[]storedDocument, error] {
	return func(yield func([]storedDocument, error) bool) {
		var batch []storedDocument
		err := eachRow(ctx, s.db, statements["all_"+tables[k]], nil, func(rows *sql.Rows) error {
			var length sql.NullInt64
			var doc []byte
			if err := rows.Scan(&length, &doc); err != nil {
				return err
			}
			if batch = append(batch, storedDocument{doc, length.Int64}); len(batch) < bulk.VerifyBatch {
				return nil
			}
			full := batch
			batch = nil
			if !yield(full, nil) {
				return errStop
			}
			return nil
		})
		if err != errStop && (err != nil || len(batch) > 0) { //nolint:errorlint // it is this function's own
			yield(batch, err)
		}
	}
}

// inspectDocuments checks documents; accounts is how many accounts the customers among them have.
func inspectDocuments(k dataset.Kind, docs []storedDocument) (seen bulk.Inspected, accounts int64) {
	for _, stored := range docs {
		if got := len(stored.doc); int64(got) != stored.lengthBytes {
			seen.Findings = append(seen.Findings,
				fmt.Sprintf("a document of %s was not read whole: %d of %d bytes", tables[k], got, stored.lengthBytes))
			continue
		}
		doc, refused := brokerage.Normal(stored.doc)
		if refused != nil {
			seen.Documents++
			seen.Wrong(tables[k], "%v", refused)
			continue
		}
		name, held, err := keysOf(k, doc)
		accounts += int64(held)
		if err != nil {
			seen.Wrong(name, "the document has no keys: %v", err)
		}
		if seen.Document(k, name, doc) && k == dataset.Customer && bulk.Overdrawn(doc) {
			seen.Wrong(name, "a position is below zero")
		}
	}
	return seen, accounts
}

// keysOf returns a name for a document, and how many accounts it has.
func keysOf(k dataset.Kind, doc []byte) (name string, accounts int, err error) {
	switch k {
	case dataset.Security:
		keys, err := brokerage.SecurityKeysOf(doc)
		return "security " + keys.Symbol, 0, err
	case dataset.Customer:
		keys, err := brokerage.CustomerKeysOf(doc)
		return fmt.Sprintf("customer %d", keys.ID), len(keys.Accounts), err
	default:
		keys, err := brokerage.OrderKeysOf(doc)
		return fmt.Sprintf("order %d", keys.ID), 0, err
	}
}
