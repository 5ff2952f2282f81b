package postgres

import (
	"context"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// A storedRow is a document with the keys that the database has of it, as text.
type storedRow struct {
	Name, Keys string
	Doc        []byte
}

// verifyQueries read tables in the order of their rows, so that no index is needed. The keys are written as keysOf
// writes them.
var verifyQueries = [...]string{
	dataset.Security: `SELECT 'security ' || (keys).symbol,
		concat((keys).symbol, ' ', (keys).pe_text, ' ', (keys).yield_text, ' ', (keys).sector),
		XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.securities`,
	dataset.Customer: `SELECT 'customer ' || (keys).id, (keys).id || ' [' || array_to_string((keys).accounts, ' ') || ']',
		XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.customers`,
	dataset.Order: `SELECT 'order ' || (keys).id, (keys).id || ' ' || (keys).account || ' ' || ((keys).cash IS NOT NULL),
		XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.orders`,
}

// keysOf returns the keys that the service reads from a document.
func keysOf(k dataset.Kind, doc []byte) (string, error) {
	switch k {
	case dataset.Security:
		keys, err := brokerage.SecurityKeysOf(doc)
		return fmt.Sprintf("%s %s %s %s", keys.Symbol, keys.PE, keys.Yield, keys.Sector), err
	case dataset.Customer:
		keys, err := brokerage.CustomerKeysOf(doc)
		return fmt.Sprintf("%d %d", keys.ID, keys.Accounts), err
	default:
		keys, err := brokerage.OrderKeysOf(doc)
		return fmt.Sprintf("%d %d %t", keys.ID, keys.Account, keys.Cash != nil), err
	}
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
			check := func(rows []storedRow) bulk.Inspected { return checkRows(k, rows) }
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
		err = v.Tell(ctx, fmt.Sprintf("stored data is damaged, and the rest was not read: %v", err))
	}
	return v.Verified, err
}

// storedRows reads a table in batches.
func storedRows(ctx context.Context, tx pgx.Tx, k dataset.Kind) iter.Seq2[[]storedRow, error] {
	return func(yield func([]storedRow, error) bool) {
		rows, _ := tx.Query(ctx, verifyQueries[k]) // its error is that of the rows
		defer rows.Close()
		var batch []storedRow
		for rows.Next() {
			r, err := pgx.RowToStructByPos[storedRow](rows)
			if err != nil {
				yield(nil, err)
				return
			}
			if batch = append(batch, r); len(batch) == bulk.VerifyBatch {
				if !yield(batch, nil) {
					return
				}
				batch = nil
			}
		}
		yield(batch, rows.Err())
	}
}

// checkRows inspects documents, and compares the keys that the database computes with those that the service reads.
func checkRows(k dataset.Kind, rows []storedRow) (seen bulk.Inspected) {
	for _, r := range rows {
		if !seen.Document(k, r.Name, r.Doc) {
			continue
		}
		if keys, err := keysOf(k, r.Doc); err != nil {
			seen.Wrong(r.Name, "the document has no keys: %v", err)
		} else if keys != r.Keys {
			seen.Wrong(r.Name, "the keys %s are not those of the document, %s", r.Keys, keys)
		}
		if k == dataset.Customer && bulk.Overdrawn(r.Doc) {
			seen.Wrong(r.Name, "a position is below zero")
		}
	}
	return seen
}

// checkAccounts compares the rows of accounts with the customers' documents, in both directions.
func checkAccounts(ctx context.Context, tx pgx.Tx, v *bulk.Verification) error {
	rows, _ := tx.Query(ctx, `SELECT CASE WHEN u.account IS NULL
			THEN format('account %s: belongs to customer %s, whose document does not have it', a.account, a.customer)
			ELSE format('customer %s: account %s is in the document, but does not belong to it', u.customer, u.account) END
		FROM brokerage.accounts AS a
		FULL JOIN (SELECT (keys).id AS customer, unnest((keys).accounts) AS account FROM brokerage.customers) AS u
		ON u.account = a.account AND u.customer = a.customer
		WHERE a.account IS NULL OR u.account IS NULL`)
	findings, err := pgx.CollectRows(rows, pgx.RowTo[string]) // the error of the query, too
	if err != nil {
		return err
	}
	if err := v.Tell(ctx, findings...); err != nil {
		return err
	}
	return tx.QueryRow(ctx, "SELECT count(*) FROM brokerage.accounts").Scan(&v.Accounts)
}
