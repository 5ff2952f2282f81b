package db2

import (
	"context"
	"database/sql"
	"fmt"
	"iter"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// verifyBatch is how many documents a processor takes at once.
const verifyBatch = 200

// storedBatch is documents as the database gives them. Accounts is what the
// customers among them have.
type storedBatch struct {
	docs     [][]byte
	findings []string
	bytes    int64
	accounts int64
}

// Verify reads everything and tells what is wrong, a sentence each; read is told
// of progress. Keys need no look beside: it is the indexes on the documents that
// keep them apart. Only an end before the end is an error. What is written
// meanwhile may be seen or not.
func (s *Store) Verify(ctx context.Context, find func(string) error, read func(bytes int64)) (v bulk.Verified, err error) {
	tell := func(findings ...string) error {
		for _, f := range findings {
			v.Findings++
			if err := find(f); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	unfinished, err := s.Loading(ctx)
	if err != nil {
		return v, err
	}
	if unfinished != "" {
		if err := tell("a load was not finished: the load command with the same arguments goes on"); err != nil {
			return v, err
		}
	}
	for _, k := range dataset.Kinds {
		err := bulk.InOrder(ctx, s.stored(ctx, k),
			func(b storedBatch) storedBatch { b.check(k); return b },
			func(b storedBatch) error {
				v.Documents[k] += int64(len(b.docs))
				v.Bytes[k] += b.bytes
				v.Accounts += b.accounts
				if read != nil {
					read(b.bytes)
				}
				return tell(b.findings...)
			})
		if err != nil {
			return v, orElse(ctx.Err(), err)
		}
	}
	return v, nil
}

// stored reads a table in batches.
func (s *Store) stored(ctx context.Context, k dataset.Kind) iter.Seq2[storedBatch, error] {
	return func(yield func(storedBatch, error) bool) {
		rows, err := s.db.QueryContext(ctx, statements["all_"+tables[k]])
		if err != nil {
			yield(storedBatch{}, err)
			return
		}
		defer func() { _ = rows.Close() }() // it was read to its end, or the error is told
		var b storedBatch
		for rows.Next() {
			var length sql.NullInt64
			var doc []byte
			if err := rows.Scan(&length, &doc); err != nil {
				yield(b, err)
				return
			}
			if length.Int64 != int64(len(doc)) {
				b.findings = append(b.findings, fmt.Sprintf("a document of %s was not read whole: %d of %d bytes", tables[k], len(doc), length.Int64))
				continue
			}
			if b.docs = append(b.docs, doc); len(b.docs) == verifyBatch {
				if !yield(b, nil) {
					return
				}
				b = storedBatch{}
			}
		}
		if rows.Err() != nil || len(b.docs) > 0 || len(b.findings) > 0 {
			yield(b, rows.Err())
		}
	}
}

// check looks at the documents of a batch.
func (b *storedBatch) check(k dataset.Kind) {
	for _, doc := range b.docs {
		doc, refused := normal(doc)
		if refused != nil {
			b.findings = append(b.findings, fmt.Sprintf("%s: %v", tables[k], refused))
			continue
		}
		b.bytes += int64(len(doc))
		name, accounts, err := keysOf(k, doc)
		b.accounts += int64(accounts)
		wrong := func(format string, args ...any) {
			b.findings = append(b.findings, name+": "+fmt.Sprintf(format, args...))
		}
		if err != nil {
			wrong("the document has no keys: %v", err)
		}
		if err := bulk.Validate(k, doc); err != nil {
			wrong("the document is not valid: %v", err)
		}
		if k == dataset.Customer && bulk.Overdrawn(doc) {
			wrong("a position is below zero")
		}
	}
}

// keysOf names a document.
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
