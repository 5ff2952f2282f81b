package postgres

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// A storedRow is a document with the keys that the database has of it.
type storedRow struct {
	doc       []byte
	id        int64   // of a customer or an order
	account   int64   // of an order
	accounts  []int64 // of a customer
	symbol    string
	sector    *string
	pe, yield string
	cash      bool // whether the order has any
}

type storedBatch []storedRow

// verifyQueries read tables in the order of their rows, so that no index is needed.
var verifyQueries = [...]string{
	dataset.Security: `SELECT XMLSERIALIZE(CONTENT doc AS text),
		(keys).symbol, (keys).sector, (keys).pe_text, (keys).yield_text FROM brokerage.securities`,
	dataset.Customer: `SELECT XMLSERIALIZE(CONTENT doc AS text), (keys).id, (keys).accounts FROM brokerage.customers`,
	dataset.Order: `SELECT XMLSERIALIZE(CONTENT doc AS text),
		(keys).id, (keys).account, (keys).cash IS NOT NULL FROM brokerage.orders`,
}

// Verify reads a snapshot of all data. It calls find with a sentence for each finding, and read with the bytes read
// since the last call. Stored keys are compared with those that Go code, independent of the database's, reads from the
// document. It returns an error only if it could not read to the end; findings are not errors.
func (s *Store) Verify(ctx context.Context, find func(string) error, read func(bytes int64)) (bulk.Verified, error) {
	v := bulk.Verification{Find: find, Read: read}
	unfinished, err := s.Loading(ctx)
	if err == nil && unfinished != "" {
		err = v.TellUnfinished(ctx)
	}
	if err != nil {
		return v.Verified, err
	}
	err = pgx.BeginTxFunc(ctx, s.pool, snapshot, func(tx pgx.Tx) error {
		for _, k := range dataset.Kinds {
			check := func(b storedBatch) bulk.Inspected { return b.check(k) }
			if err := bulk.Inspect(ctx, &v, k, storedRows(ctx, tx, k), check); err != nil {
				return err
			}
		}
		return checkAccounts(ctx, tx, &v)
	})
	switch {
	case err != nil && ctx.Err() != nil:
		err = ctx.Err()
	case isDamage(err): // it has ended the transaction
		err = v.Tell(ctx, fmt.Sprintf("what is stored is damaged, and the rest was not read: %v", err))
	}
	return v.Verified, err
}

// storedRows reads a table in batches.
func storedRows(ctx context.Context, tx pgx.Tx, k dataset.Kind) iter.Seq2[storedBatch, error] {
	return func(yield func(storedBatch, error) bool) {
		rows, err := tx.Query(ctx, verifyQueries[k])
		if err != nil {
			yield(nil, err)
			return
		}
		defer rows.Close()
		var b storedBatch
		for rows.Next() {
			var r storedRow
			switch k {
			case dataset.Security:
				err = rows.Scan(&r.doc, &r.symbol, &r.sector, &r.pe, &r.yield)
			case dataset.Customer:
				err = rows.Scan(&r.doc, &r.id, &r.accounts)
			default:
				err = rows.Scan(&r.doc, &r.id, &r.account, &r.cash)
			}
			if err != nil {
				yield(b, err)
				return
			}
			if b = append(b, r); len(b) == bulk.VerifyBatch {
				if !yield(b, nil) {
					return
				}
				b = nil
			}
		}
		if rows.Err() != nil || len(b) > 0 {
			yield(b, rows.Err())
		}
	}
}

// check inspects the documents of a batch.
func (b storedBatch) check(k dataset.Kind) (seen bulk.Inspected) {
	for _, r := range b {
		name := fmt.Sprintf("%s %d", k, r.id)
		if k == dataset.Security {
			name = "security " + r.symbol
		}
		if seen.Document(k, name, r.doc) {
			r.checkKeys(k, func(format string, args ...any) { seen.Wrong(name, format, args...) })
		}
	}
	return seen
}

// checkKeys compares the keys that the database computes with those that the service reads.
func (r storedRow) checkKeys(k dataset.Kind, wrong func(string, ...any)) {
	switch k {
	case dataset.Security:
		keys, err := brokerage.SecurityKeysOf(r.doc)
		sector := ""
		if r.sector != nil {
			sector = *r.sector
		}
		switch {
		case err != nil:
			wrong("the document has no keys: %v", err)
		case keys.Symbol != r.symbol || keys.Sector != sector || keys.PE != r.pe || keys.Yield != r.yield:
			wrong("the keys %s, %q, %s, %s are not those of the document", r.symbol, sector, r.pe, r.yield)
		}
	case dataset.Customer:
		keys, err := brokerage.CustomerKeysOf(r.doc)
		accounts := make([]brokerage.ID, 0, len(r.accounts))
		for _, a := range r.accounts {
			accounts = append(accounts, brokerage.ID(a))
		}
		switch {
		case err != nil:
			wrong("the document has no keys: %v", err)
		case int64(keys.ID) != r.id || !slices.Equal(keys.Accounts, accounts):
			wrong("the keys %d and %v are not those of the document", r.id, r.accounts)
		}
		if bulk.Overdrawn(r.doc) {
			wrong("a position is below zero")
		}
	default:
		keys, err := brokerage.OrderKeysOf(r.doc)
		switch {
		case err != nil:
			wrong("the document has no keys: %v", err)
		case int64(keys.ID) != r.id || int64(keys.Account) != r.account || (keys.Cash != nil) != r.cash:
			wrong("the keys %d and %d are not those of the document", r.id, r.account)
		}
	}
}

// checkAccounts compares the rows of accounts with the customers' documents, in both directions.
func checkAccounts(ctx context.Context, tx pgx.Tx, v *bulk.Verification) error {
	rows, err := tx.Query(ctx, `SELECT coalesce(a.account, u.account), a.customer, u.customer
		FROM brokerage.accounts AS a
		FULL JOIN (SELECT (keys).id AS customer, unnest((keys).accounts) AS account FROM brokerage.customers) AS u
		ON u.account = a.account AND u.customer = a.customer
		WHERE a.account IS NULL OR u.account IS NULL`)
	if err != nil {
		return err
	}
	var account int64
	var row, document *int64
	var findings []string
	if _, err := pgx.ForEachRow(rows, []any{&account, &row, &document}, func() error {
		if document == nil {
			findings = append(findings,
				fmt.Sprintf("account %d: belongs to customer %d, whose document does not have it", account, *row))
		} else {
			findings = append(findings,
				fmt.Sprintf("customer %d: account %d is in the document, but does not belong to it", *document, account))
		}
		return nil
	}); err != nil {
		return err
	}
	if err := v.Tell(ctx, findings...); err != nil {
		return err
	}
	return tx.QueryRow(ctx, "SELECT count(*) FROM brokerage.accounts").Scan(&v.Accounts)
}
