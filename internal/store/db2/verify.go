package db2

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"iter"
	"sync/atomic"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Verify reads every document and calls find with a sentence for each fault, and read with its progress. No document
// is compared with stored keys: keys are in unique indexes on the documents, and in no column. Verify returns an
// error only if it cannot finish. It may or may not see what is written meanwhile.
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
		check := func(docs [][]byte) store.Inspected { return inspectDocuments(k, docs, &accounts) }
		if err := store.Inspect(ctx, &v, k, s.stored(ctx, k), check); err != nil {
			return v.Verified, cmp.Or(ctx.Err(), err)
		}
	}
	v.Accounts = accounts.Load()
	return v.Verified, nil
}

// errEnough ends a query whose remaining rows are not needed.
var errEnough = errors.New("enough")

// stored reads a table in batches. A second query reads the documents that the driver takes for NULL.
func (s *Store) stored(ctx context.Context, k dataset.Kind) iter.Seq2[[][]byte, error] {
	return func(yield func([][]byte, error) bool) {
		var batch [][]byte
		nulls := false
		read := func(text string, pad int) error {
			return eachRow(ctx, s.admin, text, nil, func(rows *sql.Rows) error {
				var length sql.NullInt64
				var doc []byte
				if err := rows.Scan(&length, &doc); err != nil {
					return err
				}
				isNull := takenForNull(length.Int64 - int64(pad))
				switch {
				case pad == 0 && isNull:
					nulls = true
					return nil
				case pad > 0 && !isNull:
					return nil // the first query has returned it
				case int64(len(doc)) != length.Int64:
					return &errCut{length.Int64, int64(len(doc))}
				}
				if batch = append(batch, doc[:len(doc)-pad]); len(batch) < store.VerifyBatch {
					return nil
				}
				full := batch
				if batch = nil; !yield(full, nil) {
					return errEnough
				}
				return nil
			})
		}
		text := statements["all_"+tables[k]]
		err := read(text, 0)
		if err == nil && nulls {
			err = read(padded(text), len(" "))
		}
		if !errors.Is(err, errEnough) && (err != nil || len(batch) > 0) {
			yield(batch, err)
		}
	}
}

// inspectDocuments checks documents, and counts the accounts of customers.
func inspectDocuments(k dataset.Kind, docs [][]byte, accounts *atomic.Int64) (seen store.Inspected) {
	for _, stored := range docs {
		doc, refused := tpox.Normal(stored)
		if refused != nil {
			seen.Documents++
			seen.AddFinding(tables[k], "%v", refused)
			continue
		}
		found, err := store.KeysOf(k, doc)
		name := tables[k]
		switch keys := found.(type) {
		case tpox.SecurityKeys:
			name = "security " + keys.Symbol
		case tpox.CustomerKeys:
			name = "customer " + keys.ID.String()
			accounts.Add(int64(len(keys.Accounts)))
		case tpox.OrderKeys:
			name = "order " + keys.ID.String()
		}
		if err != nil {
			seen.AddFinding(name, "the keys of the document are missing or invalid: %v", err)
		}
		if seen.Document(k, name, doc) && k == dataset.Customer && store.Overdrawn(doc) {
			seen.AddFinding(name, "a position is below zero")
		}
	}
	return seen
}
